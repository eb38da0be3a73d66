import type { CommitOutcome, EvidencePointer, LedgerEntry, RunRow, RunStatus, Seal } from '@svc/sdk/plugin';
import {
  assertChained,
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
import { putRecords, readHead } from './ledger.ts';
import { updateRunIndex } from './run-index.ts';

export function readRow({ runs }: Databases, run_id: string): RunRow | null {
  const text = runs.get(run_id);
  return text === undefined ? null : JSON.parse(text);
}

/** Adds the moves of this commit to the number of runs of each status. */
function updateCounts({ state }: Databases, moves: ReadonlyMap<RunStatus, number>): void {
  const counts = readState<Partial<Record<RunStatus, number>>>(state, ['counts']) ?? {};
  for (const [status, n] of moves) counts[status] = (counts[status] ?? 0) + n;
  state.put(['counts'], JSON.stringify(counts));
}

/** Everything but a winner's row, of which only the last state of a run is written. */
function writeParts(dbs: Databases, now: number, { prepared: { change, content, fields } }: Winner): void {
  for (const name of change.drop_content) dropContent(dbs, fields.run_id, name);
  for (const item of content) putContent(dbs, fields.run_id, item);
  for (const settlement of change.settlements) settle(counterBook(dbs.state), now, settlement);
  if (change.expect === null && change.unique_key !== undefined) dbs.state.put(['unique', change.unique_key], fields.run_id);
}

function writeRows(dbs: Databases, winners: readonly Winner[], pointers: ReadonlyMap<number, EvidencePointer>): void {
  const last = lastOfEachRun(winners);
  for (const winner of last) {
    const { fields } = winner.prepared;
    dbs.runs.put(fields.run_id, rowText(winner.prepared, evidenceOf(winner, pointers)));
    updateRunIndex(dbs.runIndex, winner.stored, fields);
  }
  updateCounts(dbs, movesOf(last));
}

/** What a commit comes to, before anything of it is written. */
export interface PlannedCommit {
  readonly outcomes: readonly CommitOutcome[];
  readonly winners: readonly Winner[];
  readonly records: readonly LedgerEntry[];
  readonly pointers: ReadonlyMap<number, EvidencePointer>;
}

/** Whether it writes rows and records alone, of which only commits write, and reads nothing that it wrote. */
export function isPlain({ change, content }: PreparedChange): boolean {
  const { drop_content, settlements, unique_key } = change;
  return content.length === 0 && drop_content.length === 0 && settlements.length === 0 && unique_key === undefined;
}

/** Decides and seals, on what is stored now. What it throws must keep the commit from being written. */
export function planCommit(dbs: Databases, changes: readonly PreparedChange[], seal: Seal): PlannedCommit {
  const decisions = decide(changes, {
    row: (run_id) => readRow(dbs, run_id),
    keyHolder: (unique_key) => dbs.state.get(['unique', unique_key]),
  });
  const winners = winnersOf(decisions);
  const nothing = new Map<number, EvidencePointer>();
  if (winners.length === 0 && changes.length > 0)
    return { outcomes: decisions.map((decision) => outcomeOf(decision, nothing)), winners, records: [], pointers: nothing };
  const head = readHead(dbs);
  const records = seal(
    head,
    winners.map(({ index }) => index),
  );
  const pointers = pointersOf(records, winners);
  assertChained(head, records);
  return { outcomes: decisions.map((decision) => outcomeOf(decision, pointers)), winners, records, pointers };
}

/** Writes what was planned; inside a write. */
export function putCommit(dbs: Databases, now: number, { winners, records, pointers }: PlannedCommit): void {
  putRecords(dbs, records);
  for (const winner of winners) writeParts(dbs, now, winner);
  if (winners.length > 0) writeRows(dbs, winners, pointers);
}
