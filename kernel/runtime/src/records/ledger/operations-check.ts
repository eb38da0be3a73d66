import type { Store } from '@svc/contracts';
import {
  type Checkpoint,
  type LedgerFault,
  type LedgerReport,
  LedgerVerifier,
  leafOf,
  openNote,
  parseCheckpoint,
  readOperation,
} from '@svc/ledger';
import { OPERATIONS_KEYS, recordIn, seqOfKey } from '../operations-log/records.ts';
import { CHECKPOINT } from '../tree/keeper.ts';
import { KeptTree } from '../tree/kept-tree.ts';

/** What of an operations log is broken; the words are those of the ledger. */
export type OperationsFault =
  | LedgerFault
  | { readonly seq: number; readonly through: number; readonly why: 'misfiled' }
  | { readonly why: 'other_tree'; readonly key: string };

/**
 * Checks the operations log that a store keeps among its values, in the order of its dump: records come before the tree over them. That takes no
 * key, so it does not check that a gateway wrote them.
 */
export class OperationsCheck {
  readonly verifier: LedgerVerifier;
  readonly #tree = new KeptTree();
  #exported = 0;

  private constructor(verifier: LedgerVerifier) {
    this.verifier = verifier;
  }

  /** Begun before the dump is, so that the checkpoint which the store keeps is of records in it. @param checkpoints as of {@link LedgerVerifier} */
  static async begin(store: Pick<Store, 'readMeta'>, checkpoints: readonly Checkpoint[]): Promise<OperationsCheck> {
    const note = await store.readMeta(OPERATIONS_KEYS + CHECKPOINT);
    const own = note === null ? [] : [parseCheckpoint(openNote(note, []).text)];
    return new OperationsCheck(new LedgerVerifier(checkpoints, own, readOperation));
  }

  /** A value of the log. Null: nothing is wrong with it. */
  async value(key: string, value: string): Promise<OperationsFault | null> {
    const seq = seqOfKey(key);
    if (seq !== null) return this.#record(seq, recordIn(value).bytes);
    return this.#tree.holds(key.slice(OPERATIONS_KEYS.length), value) ? null : { why: 'other_tree', key };
  }

  /** An exporter has taken the records up to this one. */
  exported(seq: number): void {
    this.#exported = Math.max(this.#exported, seq);
  }

  /** Once there is nothing more. Null: there is no such log. */
  report(): LedgerReport | null {
    const report = this.verifier.report();
    return report.records === 0 && report.fault === null ? null : report;
  }

  /** Once there is nothing more. Null: nothing is missing. */
  end(): LedgerFault | null {
    const { fault, records } = this.verifier.report();
    const seq = records + 1;
    return fault ?? (this.#exported > records ? { seq, through: seq, why: 'cut_off' } : null);
  }

  async #record(kept: number, bytes: string): Promise<OperationsFault | null> {
    const record = this.verifier.add(Buffer.from(bytes));
    if (record === null) return this.verifier.report().fault;
    const { seq, hash } = record.place;
    await this.#tree.add(leafOf(hash));
    return seq === kept ? null : { seq, through: seq, why: 'misfiled' };
  }
}
