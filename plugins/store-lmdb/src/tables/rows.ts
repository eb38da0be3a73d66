import type { RunRow } from '@svc/sdk/store';
import type { Row } from '../log/group.ts';
import type { Databases } from './databases.ts';
import { putCounts, type RunCounts, readCounts } from './run-counts.ts';
import { updateRunIndex } from './run-index.ts';

export function readRow({ runs }: Pick<Databases, 'runs'>, run_id: string): RunRow | null {
  const text = runs.get(run_id);
  return text === undefined ? null : JSON.parse(text);
}

/** Writes the last row of each run, and updates index entries and counts from the row that it replaces. Call it inside a write. */
export function putRows(dbs: Databases, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  const counts: RunCounts = readCounts(dbs.state);
  for (const { run, text } of new Map(rows.map((row) => [row.run.run_id, row])).values()) {
    const before = readRow(dbs, run.run_id);
    if (before !== null) counts[before.status] = (counts[before.status] ?? 0) - 1;
    counts[run.status] = (counts[run.status] ?? 0) + 1;
    dbs.runs.put(run.run_id, text);
    updateRunIndex(dbs.runIndex, before, run);
  }
  putCounts(dbs.state, counts);
}
