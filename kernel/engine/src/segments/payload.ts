import type { Segment, SkippedPart, Steps } from '@svc/contracts';
import { editedTexts } from './edits.ts';
import type { Leaf, LeafHome } from './leaf.ts';

/** What nodes of one scope see of a payload. */
export interface Seen {
  readonly leaves: readonly Leaf[];
  /** UTF-16 code units. */
  readonly characters: number;
}

/** All text of one request or answer, open to edits. */
export class Payload {
  readonly leaves: Leaf[] = [];
  readonly skipped: SkippedPart[] = [];
  /** Roles of the request's messages by index; null for an answer, whose holders are choices. */
  roles: readonly string[] | null = null;

  /** Cached selections, by scope and whether guards read numbers, until a node edits the payload. */
  readonly #seen = new Map<string, Seen>();

  /** What a node sees, see {@link inScope}; collected once for all nodes that see the same. */
  seen(scope: 'all' | 'new', numbers = false): Seen {
    const name = numbers ? scope : `${scope}, without numbers`;
    let seen = this.#seen.get(name);
    if (seen === undefined) {
      const leaves = this.inScope(scope, numbers);
      seen = { leaves, characters: leaves.reduce((sum, { text }) => sum + text.length, 0) };
      this.#seen.set(name, seen);
    }
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

  /** Leaves as a guard sees them: copies, since a guard may change its input. */
  segments(leaves: readonly Leaf[]): Segment[] {
    const { roles } = this;
    return leaves.map(({ text, kind, path, holder }, index) => ({
      index,
      text,
      kind,
      path,
      role: roles === null ? 'assistant' : holder === null ? null : (roles[holder] ?? null),
      choice: roles === null ? holder : null,
    }));
  }

  /**
   * Checks a guard's edits of segments, and applies them to their leaves if `applies`. The payload has changed when this ends.
   * @returns whether the edits are valid; if not, nothing has changed
   */
  *edit(edits: readonly unknown[], leaves: readonly Leaf[], segments: readonly Segment[], applies = true): Steps<boolean> {
    if (edits.length === 0) return true;
    const texts = yield* editedTexts(edits, segments);
    if (texts === null) return false;
    if (applies) yield* this.#write(texts, leaves);
    return true;
  }

  *#write(texts: ReadonlyMap<number, string>, leaves: readonly Leaf[]): Steps<void> {
    this.#seen.clear();
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
