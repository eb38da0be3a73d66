import type { CommitOutcome, LedgerHead, SessionHead, UnplacedRecord } from '@svc/sdk/store';
import {
  decide,
  evidencePointerOf,
  outcomeOf,
  type PreparedChange,
  placeRecords,
  rowText,
  type Stored,
  settle,
  type Winner,
} from '@svc/toolkit/store';
import { dropContent, putContent } from './content.ts';
import { counterBook } from './counters.ts';
import type { Group, Row } from './log/group.ts';
import type { Databases } from './tables/databases.ts';
import { putRecords } from './tables/ledger.ts';
import { putRows } from './tables/rows.ts';

/** The plan of a commit, before anything is written. */
export interface PlannedCommit {
  readonly outcomes: readonly CommitOutcome[];
  readonly winners: readonly Winner[];
  readonly group: Group;
}

/** The last records on disk: of the ledger, and of a session by its key. */
interface Heads {
  readonly ledger: LedgerHead | null;
  readonly session: (key: string) => SessionHead | null;
}

/** Whether the change writes only rows and records. */
export function isPlain({ change, content }: PreparedChange): boolean {
  const { drop_content, settlements, unique_key } = change;
  return content.length === 0 && drop_content.length === 0 && settlements.length === 0 && unique_key === undefined;
}

/** Plans the commit against the current state of the store. If this throws, the commit must not be written. */
export function planCommit(
  stored: Stored,
  heads: Heads,
  changes: readonly PreparedChange[],
  unplaced: readonly UnplacedRecord[],
): PlannedCommit {
  const { decisions, winners, last } = decide(changes, stored);
  const { records, pointers } = placeRecords(heads.ledger, unplaced, decisions, heads.session);
  const [starts, rows]: [Row[], Row[]] = [[], []];
  for (const winner of last) {
    const { run } = winner.prepared;
    run.evidence = evidencePointerOf(winner, pointers);
    const isStart = winner.stored === null && run.status === 'running';
    (isStart ? starts : rows).push({ run, text: rowText(winner.prepared, run.evidence) });
  }
  const outcomes = decisions.map((decision) => outcomeOf(decision, pointers));
  return { outcomes, winners, group: { starts, rows, records } };
}

/** Writes the plan. Call it inside a write. */
export function putCommit(dbs: Databases, now: number, { winners, group }: PlannedCommit): void {
  putRecords(dbs, group.records);
  putRows(dbs, [...group.starts, ...group.rows]);
  for (const { prepared } of winners) {
    const { change, content, run } = prepared;
    for (const name of change.drop_content) dropContent(dbs, run.run_id, name);
    for (const item of content) putContent(dbs, run.run_id, item);
    for (const settlement of change.settlements) settle(counterBook(dbs.state), now, settlement);
    if (change.expect === null && change.unique_key !== undefined) dbs.state.putSync(['unique', change.unique_key], run.run_id);
  }
}
