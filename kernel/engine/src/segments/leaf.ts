import type { SegmentKind } from '@svc/contracts';

/** A place in a payload that holds text: what it says now, and who changes it. */
export interface Leaf {
  text: string;
  readonly kind: SegmentKind;
  /** A number, for guards that read those. */
  readonly is_number: boolean;
  readonly path: string;
  /** Index of the message or choice that holds it; null outside of both. */
  readonly holder: number | null;
  readonly home: LeafHome;
  /** Where in its home it stands. */
  readonly slot: string | number;
}

/** What leaves stand in. One for many of them: a closure each would cost more than their text. */
export interface LeafHome {
  /** Takes the new text of a leaf. */
  write(leaf: Leaf): void;
  /**
   * Completes what was written, once for all edits of a node: once for each would take the square of their number.
   * @returns the home that this one is written to, which is to be completed after it; null where there is none
   */
  flush(): LeafHome | null;
}
