import { randomBytes } from 'node:crypto';
import { type LedgerEntry, type LedgerHead, type RunRow, type RunStatus, StoreError } from '@svc/sdk/store';
import { assertChained } from '@svc/toolkit/store';
import type { Transaction } from 'lmdb';
import type { Generation } from './log/frames.ts';
import { decodeGroup, type Group, type Row } from './log/group.ts';
import { readLog } from './log/log.ts';
import { framesFor, readLogState } from './log/log-state.ts';
import type { Databases } from './tables/databases.ts';
import { readHead } from './tables/ledger.ts';
import { olderStarts } from './tables/rebuild-run-index.ts';
import { readRow } from './tables/rows.ts';
import { allCounts, readCounts } from './tables/run-counts.ts';

interface NumberedGroup extends Group {
  readonly number: number;
}

/**
 * What is in the log and not yet in LMDB: starts of runs, and groups of rows and records that LMDB gets a little later. Readers must look in
 * both places. Data that LMDB has got meanwhile may still be here, too, and is identical.
 */
export class Recent {
  /** How many of `started` are included in LMDB's counts: all of them if a folder of schema 3 is read, otherwise none. */
  readonly counted: number;
  /** Runs in their first status, `running`, by id. */
  readonly started = new Map<string, Row>();
  readonly #rows = new Map<string, Row>();
  #groups: NumberedGroup[] = [];
  /** The last known head of LMDB's ledger. */
  #settled: LedgerHead | null;

  constructor(settled: LedgerHead | null, counted = 0) {
    this.#settled = settled;
    this.counted = counted;
  }

  add(number: number, group: Group): void {
    for (const row of group.starts) this.started.set(row.run.run_id, row);
    for (const row of group.rows) {
      this.started.delete(row.run.run_id);
      this.#rows.set(row.run.run_id, row);
    }
    if (group.rows.length + group.records.length > 0) this.#groups.push({ number, ...group });
  }

  /** Call it when LMDB has the groups up to this number. */
  forget(through: number): void {
    const gone = this.#groups.filter(({ number }) => number <= through);
    for (const row of gone.flatMap(({ rows }) => rows))
      if (this.#rows.get(row.run.run_id) === row) this.#rows.delete(row.run.run_id);
    const newest = gone.flatMap(({ records }) => records).at(-1);
    if (newest !== undefined) this.#settled = headOf(newest);
    this.#groups = this.#groups.slice(gone.length);
  }

  /** Call it when LMDB has this head, and everything before it. */
  settle(head: LedgerHead | null): void {
    this.#settled = head === null ? null : headOf(head);
  }

  get groups(): readonly NumberedGroup[] {
    return this.#groups;
  }

  /** The approximate number of bytes that LMDB writes for them. */
  get bytes(): number {
    const lengths = this.#groups.flatMap(({ rows, records }) => [
      ...rows.map(({ text }) => text.length),
      ...records.map((record) => record.bytes.length),
    ]);
    return lengths.reduce((sum, length) => sum + length, 0);
  }

  /** The head of the ledger: of the groups, or LMDB's. */
  get head(): LedgerHead | null {
    const newest = this.#groups.findLast(({ records }) => records.length > 0)?.records.at(-1);
    return newest === undefined ? this.#settled : headOf(newest);
  }

  get settled(): LedgerHead | null {
    return this.#settled;
  }

  /** In order of `seq`. */
  get records(): readonly LedgerEntry[] {
    return this.#groups.flatMap(({ records }) => records);
  }

  row(run_id: string): Row | undefined {
    return this.started.get(run_id) ?? this.#rows.get(run_id);
  }

  /** The newest row of each run, by id. */
  get rows(): ReadonlyMap<string, Row> {
    return new Map([...this.#rows, ...this.started]);
  }

  /** A snapshot, for readers that take some time. */
  copy(): Recent {
    const copy = new Recent(this.#settled, this.counted);
    copy.#groups = [...this.#groups];
    for (const [run_id, row] of this.#rows) copy.#rows.set(run_id, row);
    for (const [run_id, row] of this.started) copy.started.set(run_id, row);
    return copy;
  }
}

/**
 * What the log of a folder has and LMDB lacks, and the generation of the newest frame.
 * @throws {StoreError} `DAMAGED` if the log differs from what was written
 */
export function readRecent(dbs: Databases, folder: string): { recent: Recent; generation: Generation } {
  const state = readLogState(dbs.env);
  if (state === null) {
    const starts = olderStarts(dbs.env);
    const recent = new Recent(readHead(dbs), starts.length);
    for (const { key, value } of starts) recent.started.set(key, { run: JSON.parse(value), text: value });
    return { recent, generation: { id: randomBytes(8).toString('hex'), base: 0 } };
  }
  const recent = new Recent(null);
  const frames = framesFor(state, readLog(folder), folder);
  for (const { number, text } of frames) recent.add(number, decodeGroup(text));
  recent.forget(state.applied);
  recent.settle(readHead(dbs));
  // The next row of some runs was written to LMDB only.
  for (const run_id of [...recent.started.keys()]) if (dbs.runs.doesExist(run_id)) recent.started.delete(run_id);
  try {
    assertChained(recent.settled, recent.records);
  } catch (cause) {
    throw new StoreError('DAMAGED', `the records of ${folder} do not go on in its log: bring back a backup`, { cause });
  }
  return { recent, generation: { id: state.id, base: state.base + frames.length } };
}

function headOf({ seq, hash }: LedgerHead): LedgerHead {
  return { seq, hash };
}

/** The newest row of a run. */
export function rowOf(dbs: Databases, recent: Recent, run_id: string): RunRow | null {
  const row = recent.row(run_id);
  return row === undefined ? readRow(dbs, run_id) : JSON.parse(row.text);
}

/** The counts of every status: in LMDB as a transaction sees it, and here. */
export function countRuns(dbs: Databases, recent: Recent, transaction?: Transaction): Record<RunStatus, number> {
  const counts = allCounts(readCounts(dbs.state, transaction));
  counts.running -= recent.counted;
  for (const [run_id, { run }] of recent.rows) {
    const stored = dbs.runs.get(run_id, transaction === undefined ? undefined : { transaction });
    if (stored !== undefined) counts[(JSON.parse(stored) as { status: RunStatus }).status] -= 1;
    counts[run.status] += 1;
  }
  return counts;
}
