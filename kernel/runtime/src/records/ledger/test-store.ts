import {
  type CommitOutcome,
  type Counters,
  GENESIS,
  type LedgerEntry,
  type LedgerHead,
  type RunChange,
  type RunRow,
  type RunStatus,
  type Store,
  type StoredRecord,
  type UnplacedRecord,
} from '@svc/contracts';
import { placeRecord } from '@svc/ledger';

/**
 * How a commit fails. `before`: it rejects without writing. `after`: it writes one commit but rejects, like a connection that breaks after COMMIT.
 */
export type Trouble = 'before' | 'after';

const unused = (): Promise<never> => Promise.reject(new Error('not part of this double'));

/**
 * A store that fails on demand, for failures that a real store cannot be made to have. It keeps rows, content and records in memory and checks
 * `expect`. The conformance suite covers the rest of the contract.
 */
export class TroubledStore implements Store {
  trouble: Trouble | null = null;
  /** No commit resolves before this does, so that a test can make changes gather. */
  gate: Promise<void> = Promise.resolve();
  /** Number of changes in each attempted commit. */
  readonly groups: number[] = [];
  readonly rows = new Map<string, RunRow>();
  readonly ledger: (LedgerEntry & Pick<UnplacedRecord, 'change'>)[] = [];
  /** Commits that contain a change of this run fail. */
  poisoned: string | null = null;
  readonly #content = new Map<string, Uint8Array>();

  async commit(changes: readonly RunChange[], records: readonly UnplacedRecord[]): Promise<readonly CommitOutcome[]> {
    this.groups.push(changes.length);
    await this.gate;
    if (this.trouble === 'before') throw new Error('the disk is gone');
    const outcomes = this.#apply(changes, records);
    if (this.trouble !== 'after') return outcomes;
    this.trouble = null;
    throw new Error('the connection broke');
  }

  #apply(changes: readonly RunChange[], records: readonly UnplacedRecord[]): CommitOutcome[] {
    if (changes.some(({ run }) => run.run_id === this.poisoned)) throw new TypeError('a value that cannot be stored');
    const winners: number[] = [];
    const written = new Map<string, RunRow>();
    const outcomes = changes.map(({ id, run, expect }, index): CommitOutcome => {
      const current = written.get(run.run_id) ?? this.rows.get(run.run_id) ?? null;
      const holds =
        expect === null
          ? current === null
          : current?.version === expect.version && current.status === expect.status && current.owner === expect.owner;
      const isRepeated = id !== undefined && current?.change === id && !written.has(run.run_id);
      if (!holds) return isRepeated ? { result: 'committed', evidence: current.evidence } : { result: 'conflict', current };
      winners.push(index);
      written.set(run.run_id, { ...structuredClone(run), ...(id !== undefined && { change: id }) });
      return { result: 'committed', evidence: null };
    });
    for (const [run_id, row] of written) this.rows.set(run_id, row);
    for (const { parts, change, ...record } of records) {
      if (change !== null && !winners.includes(change)) continue;
      const { seq, hash } = this.ledger.at(-1) ?? { seq: 0, hash: GENESIS };
      this.ledger.push({ ...record, change, seq: seq + 1, ...placeRecord(parts, seq + 1, hash) });
    }
    for (const index of winners) this.#putContent(changes[index]);
    return outcomes.map((outcome, index) => {
      const record = this.ledger.slice(-records.length).find(({ change }) => change === index);
      const row = this.rows.get(changes[index]?.run.run_id ?? '');
      if (outcome.result !== 'committed' || record === undefined || row === undefined) return outcome;
      row.evidence = { seq: record.seq, hash: record.hash };
      return { result: 'committed', evidence: row.evidence };
    });
  }

  #putContent(change: RunChange | undefined): void {
    if (change === undefined) return;
    const key = (name: string): string => `${change.run.run_id} ${name}`;
    for (const name of change.drop_content) this.#content.delete(key(name));
    for (const { name, bytes } of change.put_content) this.#content.set(key(name), bytes);
  }

  async run(run_id: string): Promise<RunRow | null> {
    // A copy, as from a real store.
    return structuredClone(this.rows.get(run_id)) ?? null;
  }

  /** Newest first, in one page. */
  async runs({ status = [] }: Parameters<Store['runs']>[0]): ReturnType<Store['runs']> {
    const rows = [...this.rows.values()].filter((row) => status.length === 0 || status.includes(row.status));
    return { rows: structuredClone(rows).reverse(), next: null };
  }

  async countRuns(): Promise<Record<RunStatus, number>> {
    const counts = { pending: 0, running: 0, paused: 0, completed: 0, blocked: 0, denied: 0, error: 0 };
    for (const { status } of this.rows.values()) counts[status] += 1;
    return counts;
  }

  async content(run_id: string, name: string): Promise<Uint8Array | null> {
    return this.#content.get(`${run_id} ${name}`) ?? null;
  }

  async eraseContent(run_id: string): Promise<number> {
    const keys = [...this.#content.keys()].filter((key) => key.startsWith(`${run_id} `));
    for (const key of keys) this.#content.delete(key);
    return keys.length;
  }

  async runOfKey(): Promise<null> {
    return null;
  }

  async runsWithContent(after: string): Promise<readonly string[]> {
    const run_ids = new Set([...this.#content.keys()].map((key) => key.split(' ')[0] ?? ''));
    return [...run_ids].filter((run_id) => run_id > after).sort();
  }

  async head(): Promise<LedgerHead | null> {
    return this.ledger.at(-1) ?? null;
  }

  async recordsBySeq(seqs: readonly number[]): Promise<readonly StoredRecord[]> {
    return this.ledger.filter(({ seq }) => seqs.includes(seq));
  }

  readonly sessionHead: Store['sessionHead'] = unused;
  readonly counters: Counters = { reserve: unused, read: unused };
  readonly open: Store['open'] = unused;
  readonly exclusive: boolean = true;
  readonly statuses: Store['statuses'] = unused;
  readonly expireContent: Store['expireContent'] = unused;
  readonly records: Store['records'] = unused;
  readonly acquireLease: Store['acquireLease'] = unused;
  readonly releaseLease: Store['releaseLease'] = unused;
  readonly leaseHolder: Store['leaseHolder'] = unused;
  readonly forgetLeases: Store['forgetLeases'] = unused;
  readonly now: Store['now'] = unused;
  readonly cursor: Store['cursor'] = unused;
  readonly moveCursor: Store['moveCursor'] = unused;
  readonly readMeta: Store['readMeta'] = unused;
  readonly writeMeta: Store['writeMeta'] = unused;
  readonly load: Store['load'] = unused;
  readonly close: Store['close'] = unused;
  dump(): never {
    throw new Error('not part of this double');
  }
}
