import type { Edit, Segment, SegmentKind, SkippedPart } from '../contracts/index.ts';
import { applyEdits } from './edits.ts';

/** A place in a payload that holds text: what it says now, and how to change it. A change is complete after the payload's flush. */
export interface Leaf {
  text: string;
  readonly kind: SegmentKind;
  readonly path: string;
  /** Index of the message or choice that holds it; null outside of both. */
  readonly holder: number | null;
  readonly write: (text: string) => void;
}

/** All text of one request or answer, open to edits. */
export class Payload {
  readonly leaves: Leaf[] = [];
  readonly skipped: SkippedPart[] = [];
  /** Roles of the request's messages by index; null for an answer, whose holders are choices. */
  roles: readonly string[] | null = null;
  readonly #flushes: (() => void)[] = [];

  onFlush(flush: () => void): void {
    this.#flushes.push(flush);
  }

  /**
   * `new`: leaves out messages up to and including the last assistant message that something follows (an assistant message at the end
   * is the caller's own and hides nothing). What stands outside the messages stays in.
   */
  inScope(scope: 'all' | 'new'): readonly Leaf[] {
    const roles = this.roles ?? [];
    const asked = roles.findLastIndex((role) => role !== 'assistant');
    const last = roles.slice(0, Math.max(asked, 0)).lastIndexOf('assistant');
    if (scope === 'all' || last < 0) return this.leaves;
    return this.leaves.filter((leaf) => leaf.holder === null || leaf.holder > last);
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
    for (const [index, text] of applyEdits(edits, segments)) {
      const leaf = leaves[index];
      if (leaf === undefined) continue;
      leaf.text = text;
      leaf.write(text);
    }
    for (const flush of this.#flushes) flush();
  }
}
