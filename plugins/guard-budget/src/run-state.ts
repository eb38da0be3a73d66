import type { JsonObject } from '@svc/sdk/plugin';

/** What a budget remembers of a run, kept over pauses. Null where it did not let it in, or a crash took it. */
export interface Entry {
  /** When the run was let in, milliseconds since the epoch: its request counts in that period. */
  readonly at: number;
  /** Whether something was, or may have been, reserved for it. */
  readonly held: boolean;
}

export function readEntry({ at, held }: JsonObject): Entry | null {
  return typeof at === 'number' ? { at, held: held === true } : null;
}

export function writeEntry(state: JsonObject, entry: Entry | null): void {
  delete state.at;
  delete state.held;
  if (entry !== null) Object.assign(state, entry);
}
