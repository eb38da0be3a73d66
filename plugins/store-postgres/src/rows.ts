import type { EvidencePointer, RunRow, RunStatus } from '@svc/sdk/store';

/** A row of svc.run. `body` contains the whole run. */
export interface StoredRun {
  readonly body: string;
}

export function runOf({ body }: StoredRun): RunRow {
  return JSON.parse(body);
}

/** The row of svc.head. `seq` is 0 before the first record. */
export interface HeadRow {
  readonly seq: number;
  readonly hash: string;
}

export function headOf(rows: readonly HeadRow[]): EvidencePointer | null {
  const row = rows[0];
  return row === undefined || row.seq === 0 ? null : { seq: row.seq, hash: row.hash };
}

export interface RunCountRow {
  readonly status: RunStatus;
  readonly n: number;
}

/** The number of runs by status. */
export function countsOf(rows: readonly RunCountRow[]): Record<RunStatus, number> {
  const none = { pending: 0, running: 0, paused: 0, completed: 0, blocked: 0, denied: 0, error: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ status, n }) => [status, n])) };
}
