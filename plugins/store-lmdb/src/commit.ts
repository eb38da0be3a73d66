import type { CommitOutcome, Seal, SealedRecord } from '@svc/sdk';
import {
  assertChained,
  decide,
  evidencePointerOf,
  lastOfEachRun,
  outcomeOf,
  type PreparedChange,
  pointersOf,
  rowText,
  settle,
  type Winner,
  winnersOf,
} from '@svc/toolkit/store';
import { dropContent, putContent } from './content.ts';
import { counterBook } from './counters.ts';
import type { Group, Row } from './log/group.ts';
import { type Recent, rowOf } from './recent.ts';
import type { Databases } from './tables/databases.ts';
import { putRecords } from './tables/ledger.ts';
import { putRows, readRow } from './tables/rows.ts';

/** The plan of a commit, before anything is written. */
export interface PlannedCommit {
  readonly outcomes: readonly CommitOutcome[];
  readonly winners: readonly Winner[];
  readonly group: Group;
}

/** Whether it writes only rows and records. */
export function isPlain({ change, content }: PreparedChange): boolean {
  const { drop_content, settlements, unique_key } = change;
  return content.length === 0 && drop_content.length === 0 && settlements.length === 0 && unique_key === undefined;
}

/** Decides and seals on the current state of the store. If it throws, the commit must not be written. */
export function planCommit(dbs: Databases, recent: Recent, changes: readonly PreparedChange[], seal: Seal): PlannedCommit {
  const decisions = decide(changes, {
    fields: (run_id) => recent.row(run_id)?.fields ?? readRow(dbs, run_id),
    row: (run_id) => rowOf(dbs, recent, run_id),
    keyHolder: (unique_key) => dbs.state.get(['unique', unique_key]),
  });
  const winners = winnersOf(decisions);
  const nothingWon = winners.length === 0 && changes.length > 0;
  const records = nothingWon ? [] : sealed(recent, winners, seal);
  const pointers = pointersOf(records, winners);
  const [starts, rows]: [Row[], Row[]] = [[], []];
  for (const winner of lastOfEachRun(winners)) {
    const { fields } = winner.prepared;
    const evidence = evidencePointerOf(winner, pointers);
    const isStart = winner.stored === null && fields.status === 'running';
    (isStart ? starts : rows).push({ fields: { ...fields, evidence }, text: rowText(winner.prepared, evidence) });
  }
  const outcomes = decisions.map((decision) => outcomeOf(decision, pointers));
  return { outcomes, winners, group: { starts, rows, records: records.map(({ change: _, ...entry }) => entry) } };
}

function sealed({ head }: Recent, winners: readonly Winner[], seal: Seal): readonly SealedRecord[] {
  const records = seal(
    head,
    winners.map(({ index }) => index),
  );
  assertChained(head, records);
  return records;
}

/** Writes the plan. Call it inside a write. */
export function putCommit(dbs: Databases, now: number, { winners, group }: PlannedCommit): void {
  putRecords(dbs, group.records);
  putRows(dbs, [...group.starts, ...group.rows]);
  for (const { prepared } of winners) {
    const { change, content, fields } = prepared;
    for (const name of change.drop_content) dropContent(dbs, fields.run_id, name);
    for (const item of content) putContent(dbs, fields.run_id, item);
    for (const settlement of change.settlements) settle(counterBook(dbs.state), now, settlement);
    if (change.expect === null && change.unique_key !== undefined)
      dbs.state.putSync(['unique', change.unique_key], fields.run_id);
  }
}
