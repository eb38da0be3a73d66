/**
 * Temporary bytes of a run (paused payload, node states, a stored answer). Opaque to the store. `expires_at`: when the content becomes unreadable, in
 * milliseconds since the epoch; null: it is kept until it is deleted.
 */
export interface ContentItem {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly expires_at: number | null;
}
