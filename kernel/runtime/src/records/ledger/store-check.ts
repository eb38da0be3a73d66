import {
  type DumpItem,
  GENESIS,
  type LedgerEntry,
  RUN_STATUSES,
  type RunRow,
  type RunStatus,
  type SessionHead,
  type Store,
  type StoreTotals,
} from '@svc/contracts';
import {
  type Checkpoint,
  isOfOperations,
  type LedgerFault,
  LedgerVerifier,
  leafOf,
  openNote,
  type PasskeyFault,
  Passkeys,
  parseCheckpoint,
  type ReadRecord,
  readAhead,
  readRecord,
} from '@svc/ledger';
import { OPERATIONS_KEYS } from '../operations-log/records.ts';
import { CHECKPOINT } from '../tree/keeper.ts';
import { KeptTree } from '../tree/kept-tree.ts';
import { dumpBatches } from './dump-batches.ts';
import { EvidencePrints } from './evidence-prints.ts';
import { OperationsCheck, type OperationsFault } from './operations-check.ts';
import { RecordThreads } from './record-threads.ts';

/**
 * The fault in a store. `misfiled`: a record is stored under the wrong kind, model or hash. `other_head`: the stored head is not the last record.
 * `no_evidence`: an ended run has no evidence. `other_run`: the row of a run does not match its evidence. `no_run`: there is evidence without the row
 * of an ended run. `run_counts`: the number of rows differs from the store's count. `other_tree`: the stored tree does not match the records.
 * `other_session`: the last record of a session, or the number of sessions, does not match the records. With `log`: in the operations log.
 */
export type StoreFault =
  | OperationsFault
  | PasskeyFault
  | { readonly seq: number; readonly through: number; readonly why: 'other_head' | 'no_run' }
  | { readonly why: 'no_evidence' | 'other_run'; readonly run_id: string }
  | { readonly why: 'run_counts'; readonly status: RunStatus }
  | { readonly why: 'other_session' }
  | ({ readonly log: 'operations' } & OperationsFault);

const ENDED: ReadonlySet<RunStatus> = new Set(['completed', 'blocked', 'denied', 'error']);

/** Checks the items of a store's dump: the ledger, whether everything else matches it, and the operations log. */
export class StoreCheck {
  readonly verifier: LedgerVerifier;
  readonly operations: OperationsCheck;
  readonly #prints = new EvidencePrints();
  readonly #tree = new KeptTree();
  readonly #runs = new Map<RunStatus, number>(RUN_STATUSES.map((status) => [status, 0]));
  #sessions = 0;
  #totals: StoreTotals | null = null;
  #fault: StoreFault | null = null;

  private constructor(verifier: LedgerVerifier, operations: OperationsCheck) {
    this.verifier = verifier;
    this.operations = operations;
  }

  /**
   * Call this before the dump starts, so that the dump has all records that the stored checkpoints cover.
   * @param checkpoints checkpoints of the ledger and of the operations log, see {@link LedgerVerifier}
   */
  static async begin(store: Pick<Store, 'readMeta'>, checkpoints: readonly Checkpoint[] = []): Promise<StoreCheck> {
    const passkeys = new Passkeys();
    const operations = await OperationsCheck.begin(store, checkpoints.filter(isOfOperations), passkeys);
    const note = await store.readMeta(CHECKPOINT);
    const own = note === null ? [] : [parseCheckpoint(openNote(note, []).text)];
    const ofLedger = checkpoints.filter((checkpoint) => !isOfOperations(checkpoint));
    return new StoreCheck(new LedgerVerifier(ofLedger, own, readRecord, passkeys), operations);
  }

  /**
   * Yields the items of the store's dump, each after it was checked. Ends before the first invalid one. If there are many records, they are parsed in
   * threads.
   */
  async *items(store: Pick<Store, 'dump'>): AsyncGenerator<DumpItem> {
    const dump = store.dump((totals) => {
      this.#totals = totals;
    });
    for await (const [batch, read] of readAhead(dumpBatches(dump), recordsIn, async () => new RecordThreads())) {
      for (const [index, item] of batch.entries()) {
        await this.#look(item, read[index]);
        if (this.#fault !== null) return;
        yield item;
      }
    }
  }

  /** Call this after the last item. Null: no fault. */
  end(): StoreFault | null {
    this.#fault ??=
      this.verifier.report().fault ??
      this.#headFault() ??
      this.#rowFault() ??
      ofOperations(this.operations.end()) ??
      this.verifier.passkeys.fault(true);
    return this.#fault;
  }

  async #look(item: DumpItem, read?: ReadRecord): Promise<void> {
    switch (item.kind) {
      case 'record':
        return this.#record(item.record, read);
      case 'session':
        return this.#session(item.head);
      case 'run':
        return this.#run(item.run);
      case 'cursor':
        if (item.name.startsWith(OPERATIONS_KEYS)) this.operations.exported(item.seq);
        else if (item.seq > this.verifier.records) this.#fault = this.#cutOff();
        return;
      case 'meta':
        if (item.key.startsWith(OPERATIONS_KEYS)) this.#fault = ofOperations(await this.operations.value(item.key, item.value));
        else if (!this.#tree.holds(item.key, item.value)) this.#fault = { why: 'other_tree', key: item.key };
    }
  }

  async #record({ seq, hash, bytes, record_type, model_id }: LedgerEntry, elsewhere?: ReadRecord): Promise<void> {
    const record = this.verifier.add(Buffer.from(bytes), elsewhere);
    if (record === null) {
      this.#fault = this.verifier.report().fault;
      return;
    }
    const { place, run } = record;
    const type = run === null ? 'model_inventory' : 'run_evidence';
    const isFiled = seq === place.seq && hash === place.hash && record_type === type && model_id === record.model_id;
    if (!isFiled) this.#fault = { seq: place.seq, through: place.seq, why: 'misfiled' };
    this.#prints.add(record);
    await this.#tree.add(leafOf(place.hash));
  }

  #session({ key, number, hash }: SessionHead): void {
    this.#sessions += 1;
    if (!this.verifier.sessions.isHead(key, number, hash)) this.#fault = { why: 'other_session' };
  }

  #run(run: RunRow): void {
    const { run_id, status, evidence } = run;
    this.#runs.set(status, (this.#runs.get(status) ?? 0) + 1);
    if (!ENDED.has(status)) return;
    if (evidence === null) this.#fault = { why: 'no_evidence', run_id };
    else if (evidence.seq > this.verifier.records) this.#fault = this.#cutOff();
    else if (!this.#prints.take(run)) this.#fault = { why: 'other_run', run_id };
  }

  #headFault(): StoreFault | null {
    const { records, head } = this.verifier;
    const { seq, hash } = this.#totals?.head ?? { seq: 0, hash: GENESIS };
    if (seq > records) return this.#cutOff();
    return seq === records && hash === head
      ? null
      : { seq: Math.max(1, records), through: Math.max(1, records), why: 'other_head' };
  }

  #rowFault(): StoreFault | null {
    const { unmatched } = this.#prints;
    if (unmatched !== null) return { seq: unmatched, through: unmatched, why: 'no_run' };
    if (this.#sessions !== this.verifier.sessions.size) return { why: 'other_session' };
    const status = RUN_STATUSES.find((one) => this.#runs.get(one) !== this.#totals?.runs[one]);
    return status === undefined ? null : { why: 'run_counts', status };
  }

  #cutOff(): LedgerFault {
    const seq = this.verifier.records + 1;
    return { seq, through: seq, why: 'cut_off' };
  }
}

function recordsIn(batch: readonly DumpItem[]): Uint8Array[] {
  return batch.flatMap((item) => (item.kind === 'record' ? [Buffer.from(item.record.bytes)] : []));
}

function ofOperations(fault: OperationsFault | null): StoreFault | null {
  return fault === null ? null : { ...fault, log: 'operations' };
}
