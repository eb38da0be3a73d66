import type { JsonObject } from '@svc/sdk';
import type { Endpoint } from '@svc/sdk/guard';

/** State of a run, which survives pauses. Null if the run was not admitted, or a crash lost the state. */
export interface Entry {
  /** When the run was last admitted, in milliseconds since the epoch. The run's request counts in that period. */
  readonly at: number;
  /** Whether a reservation exists or may exist. */
  readonly held: boolean;
  /** The first millisecond after the period in which the run was admitted, for each limit by label. */
  readonly until: Readonly<Record<string, number>>;
  /** Number of admissions. Those after the first replace expired reservations. */
  readonly times: number;
  /** Whether the run's request counts. False if a later period refused it. */
  readonly counts: boolean;
  /** Endpoints that cost more than the reservation, as {@link endpointId} names them. Absent if there are none. */
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
