import type { SegmentKind, Steps } from '@svc/contracts';

/** A place in a payload that holds text: its current text, and the home that writes changes. */
export interface Leaf {
  text: string;
  readonly kind: SegmentKind;
  /** A number, for guards that read numbers. */
  readonly is_number: boolean;
  readonly path: string;
  /** Index of the turn or answer that holds it; null outside of both. */
  readonly holder: number | null;
  /** The role, if it differs from that of its turn; null: the role of the turn. */
  readonly role: string | null;
  readonly is_thinking: boolean;
  readonly home: LeafHome;
  /** Its place in its home. */
  readonly slot: string | number;
}

/** Holds leaves and writes their changes. One home has many leaves: a closure for each would cost more than their text. */
export interface LeafHome {
  /** Takes the new text of a leaf. */
  write(leaf: Leaf): void;
  /**
   * Completes the changes, once for all edits of a node: once for each edit would take quadratic time.
   * @returns the home that this one writes to, which must be flushed after it; null if there is none
   */
  flush(): Steps<LeafHome | null>;
}
