import { nextTurn, type Segment, type SkippedPart, type Steps } from '@svc/contracts';
import type { Payload as PayloadPort, Seen as SeenPort } from '@svc/kernel/ports';
import { editedTexts } from './edits.ts';
import type { Leaf, LeafHome } from './leaf.ts';

/** What nodes of one scope see of a payload. */
export interface Seen extends SeenPort {
  readonly scope: 'all' | 'new';
  /** Whether numbers are among them. */
  readonly numbers: boolean;
  readonly leaves: readonly Leaf[];
}

/** Collecting so many leaves, or showing them to a node, takes some milliseconds. */
const MANY_LEAVES = 2_000;

/** All text of one request or answer, open to edits. */
export class Payload implements PayloadPort {
  readonly leaves: Leaf[] = [];
  readonly skipped: SkippedPart[] = [];
  /** Who speaks in each of the request's turns; null for an answer. */
  roles: readonly string[] | null = null;
  /** Whether it is an answer of a protocol that has one alone. */
  isOneAnswer = false;

  /** Kept until a node edits the payload. */
  #seen: Seen[] = [];

  /** Leaves out what has this text, but for keys. */
  leaveOut(text: string): void {
    const others = this.leaves.filter((leaf) => leaf.text !== text || leaf.kind === 'key');
    this.leaves.splice(0, this.leaves.length, ...others);
  }

  /** What a node sees, see {@link inScope}; made once for all nodes that see the same. */
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
      edit: (edits, applies) => this.edit(edits, seen, applies),
    };
    this.#seen.push(seen);
    return seen;
  }

  /**
   * The leaves that a node sees.
   * @param scope `new` leaves out messages up to and including the last assistant message that is followed by another message (an assistant
   * message at the end is the caller's own, and hides nothing). Text outside of the messages is always included.
   * @param numbers whether its guard reads numbers
   */
  inScope(scope: 'all' | 'new', numbers = false): readonly Leaf[] {
    const roles = this.roles ?? [];
    const asked = scope === 'all' ? 0 : roles.findLastIndex((role) => role !== 'assistant');
    const last = asked > 0 ? roles.lastIndexOf('assistant', asked - 1) : -1;
    if (numbers && last < 0) return this.leaves;
    return this.leaves.filter(({ holder, is_number }) => (holder === null || holder > last) && (numbers || !is_number));
  }

  /** Leaves as guards see them. Frozen: what one guard does to them must not reach the next. */
  segments(leaves: readonly Leaf[]): readonly Segment[] {
    const { roles } = this;
    const segments = leaves.map(({ text, kind, path, holder, is_thinking, role: own }, index) => {
      const role = roles === null ? 'assistant' : (own ?? (holder === null ? null : (roles[holder] ?? null)));
      const choice = roles !== null ? null : this.isOneAnswer ? 0 : holder;
      const segment = { index, text, kind, path, role, choice };
      return Object.freeze(is_thinking ? { ...segment, is_thinking } : segment);
    });
    return Object.freeze(segments);
  }

  /**
   * Checks a guard's edits of segments, and applies them to their leaves if `applies`. The payload has changed when this ends.
   * @returns whether the edits are valid; if not, nothing has changed
   */
  *edit(edits: readonly unknown[], seen: Pick<Seen, 'leaves' | 'segments'>, applies = true): Steps<boolean> {
    if (edits.length === 0) return true;
    const texts = yield* editedTexts(edits, seen.segments);
    if (texts === null) return false;
    if (applies) yield* this.#write(texts, seen.leaves);
    return true;
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
    // Nested JSON is written from the inside out.
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
