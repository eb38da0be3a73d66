import type { SegmentKind, Steps, TextOrigin } from '@svc/contracts';

/** A text in a payload: its place, its current content, and the home that writes its changes. */
export interface Leaf {
  text: string;
  readonly kind: SegmentKind;
  /** Whether it is a number. Only guards with `reads_numbers` see numbers. */
  readonly is_number: boolean;
  readonly path: string;
  /** Index of the turn or answer that contains the text. Null if none does. */
  readonly holder: number | null;
  /** The role, if it differs from that of its turn. Null: the role of the turn. */
  readonly role: string | null;
  readonly is_thinking: boolean;
  /** Null: it follows from the role. */
  readonly origin: TextOrigin | null;
  readonly home: LeafHome;
  /** Identifies the leaf in its home. */
  readonly slot: string | number;
}

/** Writes the changes of its leaves. Many leaves share a home, because a closure for each would take more memory than the text. */
export interface LeafHome {
  /** Takes the new text of a leaf. */
  write(leaf: Leaf): void;
  /**
   * Completes the changes after all edits of a node. Doing so after each edit would take quadratic time.
   * @returns the home that this one has written to, which must be flushed next; null if there is none
   */
  flush(): Steps<LeafHome | null>;
}
