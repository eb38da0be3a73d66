import type { JsonObject } from '@svc/sdk';
import type { Endpoint } from '@svc/sdk/guard';

/** State of a run, kept across pauses. Null if the run was not admitted, or the state was lost in a crash. */
export interface Entry {
  /** When the run was last admitted, milliseconds since the epoch: its request counts in that period. */
  readonly at: number;
  /** Whether a reservation exists or may exist. */
  readonly held: boolean;
  /** For each limit, by label: when the period in which the run was admitted ends (its first millisecond afterwards). */
  readonly until: Readonly<Record<string, number>>;
  /** Number of admissions. Those after the first replace expired reservations. */
  readonly times: number;
  /** Whether its request counts; false if a later period refused it. */
  readonly counts: boolean;
  /** Endpoints that cost more than the reservation, named by {@link endpointId}; absent if there are none. */
  readonly over?: readonly string[];
}

export function endpointId({ provider, model }: Endpoint): string {
  return JSON.stringify([provider, model]);
}

export function readEntry({ entry }: JsonObject): Entry | null {
  // Only `writeEntry` writes it.
  return entry === undefined ? null : (entry as unknown as Entry);
}

export function writeEntry(state: JsonObject, entry: Entry | null): void {
  delete state.entry;
  if (entry === null) return;
  const { over, ...rest } = entry;
  state.entry = { ...rest, until: { ...rest.until }, ...(over !== undefined && { over: [...over] }) };
}
