import type { CommitOutcome, EvidencePointer, LedgerHead, RunStatus, Seal, SealedRecord } from '@svc/sdk';
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
  type StoredFields,
  settle,
  type Winner,
  winnersOf,
} from '@svc/toolkit/store';
import { dropContent, putContent } from './content.ts';
import { counterBook } from './counters.ts';
import { forgetStart, readRow } from './started-runs.ts';
import { type Databases, readState } from './tables/databases.ts';
import { putRecords } from './tables/ledger.ts';
import { updateRunIndex } from './tables/run-index.ts';

/** The number of runs of each status, with the moves of this commit, as JSON. */
function countsWith({ state }: Databases, moves: ReadonlyMap<RunStatus, number>): string {
  const counts = readState<Partial<Record<RunStatus, number>>>(state, ['counts']) ?? {};
  for (const [status, n] of moves) counts[status] = (counts[status] ?? 0) + n;
  return JSON.stringify(counts);
}

/** Everything but a winner's row, of which only the last state of a run is written. */
function writeParts(dbs: Databases, now: number, { prepared: { change, content, fields } }: Winner): void {
  for (const name of change.drop_content) dropContent(dbs, fields.run_id, name);
  for (const item of content) putContent(dbs, fields.run_id, item);
  for (const settlement of change.settlements) settle(counterBook(dbs.state), now, settlement);
  if (change.expect === null && change.unique_key !== undefined) dbs.state.put(['unique', change.unique_key], fields.run_id);
}

function writeRows(dbs: Databases, { last, pointers, counts }: PlannedCommit): void {
  for (const winner of last) {
    const { fields } = winner.prepared;
    const text = rowText(winner.prepared, evidenceOf(winner, pointers));
    if (winner.stored === null && fields.status === 'running') dbs.startedRuns.put(fields.run_id, text);
    else {
      const indexed = forgetStart(dbs, fields.run_id, winner.stored) ? null : winner.stored;
      dbs.runs.put(fields.run_id, text);
      updateRunIndex(dbs.runIndex, indexed, fields);
    }
  }
  dbs.state.put(['counts'], counts);
}

/** What a commit comes to, before anything of it is written. */
export interface PlannedCommit {
  readonly outcomes: readonly CommitOutcome[];
  readonly winners: readonly Winner[];
  /** Of the winners, the last of each run. */
  readonly last: readonly Winner[];
  /** Of runs by status, after it. */
  readonly counts: string;
  readonly records: readonly SealedRecord[];
  readonly pointers: ReadonlyMap<number, EvidencePointer>;
}

/** Whether it writes rows and records alone, of which only commits write, and reads nothing that it wrote. */
export function isPlain({ change, content }: PreparedChange): boolean {
  const { drop_content, settlements, unique_key } = change;
  return content.length === 0 && drop_content.length === 0 && settlements.length === 0 && unique_key === undefined;
}

/**
 * Decides and seals, on what is stored now and the head of its ledger. What it throws must keep the commit from being written. `known`: what
 * is stored of some runs, which then need not be read.
 */
export function planCommit(
  dbs: Databases,
  head: LedgerHead | null,
  changes: readonly PreparedChange[],
  seal: Seal,
  known: ReadonlyMap<string, StoredFields> = new Map(),
): PlannedCommit {
  const decisions = decide(changes, {
    fields: (run_id) => known.get(run_id) ?? readRow(dbs, run_id),
    row: (run_id) => readRow(dbs, run_id),
    keyHolder: (unique_key) => dbs.state.get(['unique', unique_key]),
  });
  const winners = winnersOf(decisions);
  const nothingWon = winners.length === 0 && changes.length > 0;
  const records = nothingWon ? [] : sealed(head, winners, seal);
  const pointers = pointersOf(records, winners);
  const last = lastOfEachRun(winners);
  const counts = countsWith(dbs, movesOf(last));
  return { outcomes: decisions.map((decision) => outcomeOf(decision, pointers)), winners, last, counts, records, pointers };
}

function sealed(head: LedgerHead | null, winners: readonly Winner[], seal: Seal): readonly SealedRecord[] {
  const records = seal(
    head,
    winners.map(({ index }) => index),
  );
  assertChained(head, records);
  return records;
}

/** Writes what was planned; inside a write. */
export function putCommit(dbs: Databases, now: number, plan: PlannedCommit): void {
  putRecords(dbs, plan.records);
  for (const winner of plan.winners) writeParts(dbs, now, winner);
  if (plan.winners.length > 0) writeRows(dbs, plan);
}
