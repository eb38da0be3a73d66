import {
  type AnswerTools,
  NO_ANSWER_TOOLS,
  nextTurn,
  type Segment,
  type SkippedPart,
  type Steps,
  TEXT_ORIGINS,
  type TextOrigin,
  type Withheld,
} from '@svc/contracts';
import type { Payload as PayloadPort, Seen as SeenPort } from '@svc/kernel/ports';
import { editedTexts } from './edits.ts';
import type { Leaf, LeafHome } from './leaf.ts';
import { isUntrusted, originOf } from './origin.ts';

/** The part of a payload that nodes of one scope see. */
export interface Seen extends SeenPort {
  readonly scope: 'all' | 'new';
  /** Whether numbers are included. */
  readonly numbers: boolean;
  readonly leaves: readonly Leaf[];
}

/** With this many leaves, collecting them or passing them to a node takes some milliseconds. */
const MANY_LEAVES = 2_000;

/** Withholds parts of a request. */
export interface Withholding {
  /** Null if a part is malformed, or not in the request. */
  read(withheld: unknown): readonly Withheld[] | null;
  /** @returns the texts of the changed request */
  apply(withheld: readonly Withheld[]): Payload;
}

/** All texts of one request or answer. Nodes can edit them. */
export class Payload implements PayloadPort {
  readonly leaves: Leaf[] = [];
  readonly skipped: SkippedPart[] = [];
  /** The role of each turn of a request. Null for an answer. */
  roles: readonly string[] | null = null;
  /** The origins that the route does not trust. */
  untrusted: readonly TextOrigin[] = TEXT_ORIGINS;
  /** Whether it is an answer in a protocol with one answer only. */
  isOneAnswer = false;
  /** Null for an answer, because nothing is withheld from answers. */
  withholding: Withholding | null = null;
  /** The tools in a part of a streamed answer, in their present form. Empty if no guard reads them. */
  tools: () => AnswerTools = () => NO_ANSWER_TOOLS;

  /** Cached until a node edits the payload. */
  #seen: Seen[] = [];

  /** Removes leaves with this text, except keys. */
  leaveOut(text: string): void {
    const others = this.leaves.filter((leaf) => leaf.text !== text || leaf.kind === 'key');
    this.leaves.splice(0, this.leaves.length, ...others);
  }

  /** The texts that a node sees, see {@link inScope}. Nodes that see the same texts share the result. */
  seen(scope: 'all' | 'new', numbers = false): Seen {
    const known = this.#seen.find((seen) => seen.scope === scope && seen.numbers === numbers);
    if (known !== undefined) return known;
    const leaves = this.inScope(scope, numbers);
    let characters = 0;
    for (const { text } of leaves) characters += text.length;
    const scanned = { segments: leaves.length, characters, skipped: this.skipped };
    const seen: Seen = {
      scope,
      numbers,
      leaves,
      segments: this.segments(leaves),
      scanned,
      edit: (edits, applies, withheld) => this.edit(edits, seen, applies, withheld),
    };
    this.#seen.push(seen);
    return seen;
  }

  /**
   * The leaves that a node sees. Text outside of the messages is always included.
   * @param scope `new` excludes messages up to and including the last assistant message that another message follows. (An assistant message at the
   * end was written by the caller, so it excludes nothing.)
   * @param numbers whether the guard reads numbers
   */
  inScope(scope: 'all' | 'new', numbers = false): readonly Leaf[] {
    const roles = this.roles ?? [];
    const asked = scope === 'all' ? 0 : roles.findLastIndex((role) => role !== 'assistant');
    const last = asked > 0 ? roles.lastIndexOf('assistant', asked - 1) : -1;
    if (numbers && last < 0) return this.leaves;
    return this.leaves.filter(({ holder, is_number }) => (holder === null || holder > last) && (numbers || !is_number));
  }

  /** The segments that guards see. They are frozen, so that no guard can change what the next one sees. */
  segments(leaves: readonly Leaf[]): readonly Segment[] {
    const { roles, untrusted } = this;
    const segments = leaves.map(({ text, kind, path, holder, is_thinking, role: own, origin: marked }, index) => {
      const speaker = own ?? (roles === null ? 'assistant' : holder === null ? null : (roles[holder] ?? null));
      const role = roles === null ? 'assistant' : speaker;
      const choice = roles !== null ? null : this.isOneAnswer ? 0 : holder;
      const origin = originOf(speaker, marked);
      const segment = { index, text, kind, path, role, choice, origin, untrusted: isUntrusted(origin, untrusted) };
      return Object.freeze(is_thinking ? { ...segment, is_thinking } : segment);
    });
    return Object.freeze(segments);
  }

  /**
   * Checks a guard's edits of segments and the parts that it withholds. If `applies`, also changes the payload, once the iterator is finished.
   * @returns whether both are valid; if not, nothing has changed
   */
  *edit(edits: readonly unknown[], seen: Pick<Seen, 'leaves' | 'segments'>, applies = true, withheld?: unknown): Steps<boolean> {
    if (edits.length === 0 && withheld === undefined) return true;
    const texts = yield* editedTexts(edits, seen.segments);
    const parts = withheld === undefined ? [] : (this.withholding?.read(withheld) ?? null);
    if (texts === null || parts === null) return false;
    if (!applies) return true;
    yield* this.#write(texts, seen.leaves);
    if (parts.length > 0 && this.withholding !== null) this.#become(this.withholding.apply(parts));
    return true;
  }

  #become({ leaves, skipped, roles }: Payload): void {
    // Both may be too many to pass as arguments.
    this.leaves.length = 0;
    for (const leaf of leaves) this.leaves.push(leaf);
    this.skipped.length = 0;
    for (const part of skipped) this.skipped.push(part);
    this.roles = roles;
    this.#seen = [];
  }

  turn(principal_id: string): Promise<void> | null {
    return this.leaves.length > MANY_LEAVES ? nextTurn(principal_id) : null;
  }

  *#write(texts: ReadonlyMap<number, string>, leaves: readonly Leaf[]): Steps<void> {
    this.#seen = [];
    const homes = new Set<LeafHome>();
    for (const [index, text] of texts) {
      const leaf = leaves[index];
      if (leaf === undefined) continue;
      leaf.text = text;
      leaf.home.write(leaf);
      homes.add(leaf.home);
      yield;
    }
    // Nested JSON is written from the innermost to the outermost.
    for (let changed = homes; changed.size > 0; ) {
      const outer = new Set<LeafHome>();
      for (const home of changed) {
        const around = yield* home.flush();
        if (around !== null) outer.add(around);
        yield;
      }
      changed = outer;
    }
  }
}
