import type { JsonObject } from '@svc/sdk';

/** State of a run, kept across pauses. Null if the run was not admitted, or the state was lost in a crash. */
export interface Entry {
  /** When the run was last admitted, milliseconds since the epoch: its request counts in that period. */
  readonly at: number;
  /** Whether something is, or may be, reserved for it. */
  readonly held: boolean;
  /** By the label of a limit: first millisecond after the period for which the run is admitted. */
  readonly until: Readonly<Record<string, number>>;
  /** How often it was admitted. After the first time, to replace lapsed reservations. */
  readonly times: number;
  /** Whether its request counts. Not if a later period refused it. */
  readonly counts: boolean;
}

export function readEntry({ entry }: JsonObject): Entry | null {
  // Only `writeEntry` below writes it.
  return entry === undefined ? null : (entry as unknown as Entry);
}

export function writeEntry(state: JsonObject, entry: Entry | null): void {
  if (entry === null) delete state.entry;
  else state.entry = { ...entry, until: { ...entry.until } };
}
