import type { Edit, Segment, SkippedPart } from '@svc/contracts';
import { applyEdits } from './edits.ts';
import type { Leaf, LeafHome } from './leaf.ts';

/** All text of one request or answer, open to edits. */
export class Payload {
  readonly leaves: Leaf[] = [];
  readonly skipped: SkippedPart[] = [];
  /** Roles of the request's messages by index; null for an answer, whose holders are choices. */
  roles: readonly string[] | null = null;

  /**
   * The leaves that a node looks at.
   * @param scope `new` leaves out messages up to and including the last assistant message that something follows (an assistant message at
   * the end is the caller's own and hides nothing). What stands outside the messages stays in.
   * @param numbers whether its guard reads numbers
   */
  inScope(scope: 'all' | 'new', numbers = false): readonly Leaf[] {
    const roles = this.roles ?? [];
    const asked = roles.findLastIndex((role) => role !== 'assistant');
    const last = scope === 'all' ? -1 : roles.slice(0, Math.max(asked, 0)).lastIndexOf('assistant');
    if (numbers && last < 0) return this.leaves;
    return this.leaves.filter(({ holder, is_number }) => (holder === null || holder > last) && (numbers || !is_number));
  }

  /** Leaves as a guard sees them. */
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

  /** Edits leaves by what a guard said of their segments; the edits must be valid. The payload has changed when this returns. */
  apply(edits: readonly Edit[], leaves: readonly Leaf[], segments: readonly Segment[]): void {
    if (edits.length === 0) return;
    const homes = new Set<LeafHome>();
    for (const [index, text] of applyEdits(edits, segments)) {
      const leaf = leaves[index];
      if (leaf === undefined) continue;
      leaf.text = text;
      leaf.home.write(leaf);
      homes.add(leaf.home);
    }
    // What lies in one another is written from the inside out.
    for (let changed = homes; changed.size > 0; ) changed = new Set([...changed].flatMap((home) => home.flush() ?? []));
  }
}
