import type { JsonObject } from '@svc/sdk';

/** What a budget remembers of a run, kept over pauses. Null where it did not let it in, or a crash took it. */
export interface Entry {
  /** When the run was last let in, milliseconds since the epoch: its request counts in that period. */
  readonly at: number;
  /** Whether something was, or may have been, reserved for it. */
  readonly held: boolean;
  /** Until when it is let in, by the label of the limit: the first millisecond after that limit's period. */
  readonly until: Readonly<Record<string, number>>;
  /** How many times it was let in: each time but the first, in place of what had lapsed. */
  readonly times: number;
  /** Whether its request counts: not where a later period did not let it in. */
  readonly counts: boolean;
}

export function readEntry({ entry }: JsonObject): Entry | null {
  // What stands there was written below.
  return entry === undefined ? null : (entry as unknown as Entry);
}

export function writeEntry(state: JsonObject, entry: Entry | null): void {
  if (entry === null) delete state.entry;
  else state.entry = { ...entry, until: { ...entry.until } };
}
