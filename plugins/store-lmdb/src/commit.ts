import type { CommitOutcome, EvidencePointer, RunRow, RunStatus, Seal } from '@svc/sdk/plugin';
import {
  decide,
  evidenceOf,
  lastOfEachRun,
  movesOf,
  outcomeOf,
  type PreparedChange,
  pointersOf,
  rowText,
  settle,
  type Winner,
  winnersOf,
} from '@svc/sdk/store';
import { dropContent, putContent } from './content.ts';
import { counterBook } from './counters.ts';
import { type Databases, readState } from './databases.ts';
import { appendRecords, readHead } from './ledger.ts';
import { updateRunIndex } from './run-index.ts';

export function readRow({ runs }: Databases, run_id: string): RunRow | null {
  const text = runs.get(run_id);
  return text === undefined ? null : JSON.parse(text);
}

/** Adds the moves of this commit to the number of runs of each status. */
function updateCounts({ state }: Databases, moves: ReadonlyMap<RunStatus, number>): void {
  const counts = readState<Partial<Record<RunStatus, number>>>(state, ['counts']) ?? {};
  for (const [status, n] of moves) counts[status] = (counts[status] ?? 0) + n;
  state.putSync(['counts'], JSON.stringify(counts));
}

/** Everything but a winner's row, of which only the last state of a run is written. */
function writeParts(dbs: Databases, now: number, { prepared: { change, content, fields } }: Winner): void {
  for (const name of change.drop_content) dropContent(dbs, fields.run_id, name);
  for (const item of content) putContent(dbs, fields.run_id, item);
  for (const settlement of change.settlements) settle(counterBook(dbs.state), now, settlement);
  if (change.expect === null && change.unique_key !== undefined) dbs.state.putSync(['unique', change.unique_key], fields.run_id);
}

function writeRows(dbs: Databases, winners: readonly Winner[], pointers: Map<number, EvidencePointer>): void {
  const last = lastOfEachRun(winners);
  for (const winner of last) {
    const { fields } = winner.prepared;
    dbs.runs.putSync(fields.run_id, rowText(winner.prepared, evidenceOf(winner, pointers)));
    updateRunIndex(dbs.runIndex, winner.stored, fields);
  }
  updateCounts(dbs, movesOf(last));
}

/** The whole of a commit; inside a write. What it throws must roll the write back. */
export function applyCommit(dbs: Databases, now: number, changes: readonly PreparedChange[], seal: Seal): CommitOutcome[] {
  const decisions = decide(changes, {
    row: (run_id) => readRow(dbs, run_id),
    keyHolder: (unique_key) => dbs.state.get(['unique', unique_key]),
  });
  const winners = winnersOf(decisions);
  if (winners.length === 0 && changes.length > 0) return decisions.map((decision) => outcomeOf(decision, new Map()));
  const head = readHead(dbs);
  const records = seal(
    head,
    winners.map(({ index }) => index),
  );
  const pointers = pointersOf(records, winners);
  appendRecords(dbs, head, records);
  for (const winner of winners) writeParts(dbs, now, winner);
  if (winners.length > 0) writeRows(dbs, winners, pointers);
  return decisions.map((decision) => outcomeOf(decision, pointers));
}
