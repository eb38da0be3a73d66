import type { Store } from '@svc/contracts';
import {
  type Checkpoint,
  type LedgerFault,
  type LedgerReport,
  LedgerVerifier,
  leafOf,
  openNote,
  type Passkeys,
  parseCheckpoint,
  readOperation,
} from '@svc/ledger';
import { OPERATIONS_KEYS, recordIn, seqOfKey } from '../operations-log/records.ts';
import { CHECKPOINT } from '../tree/keeper.ts';
import { KeptTree } from '../tree/kept-tree.ts';

/** The fault in an operations log, in the terms of the ledger. */
export type OperationsFault =
  | LedgerFault
  | { readonly seq: number; readonly through: number; readonly why: 'misfiled' }
  | { readonly why: 'other_tree'; readonly key: string };

/**
 * Checks the operations log that a store keeps as values. A dump has the records first, then the tree over them. No key is needed, so the check
 * cannot show whether a gateway wrote the records.
 */
export class OperationsCheck {
  readonly verifier: LedgerVerifier;
  readonly #tree = new KeptTree();
  #exported = 0;

  private constructor(verifier: LedgerVerifier) {
    this.verifier = verifier;
  }

  /**
   * Call this before the dump starts, so that the dump has all records that the stored checkpoint covers.
   * @param checkpoints see {@link LedgerVerifier}
   * @param passkeys shared with the verifier of the ledger
   */
  static async begin(
    store: Pick<Store, 'readMeta'>,
    checkpoints: readonly Checkpoint[],
    passkeys: Passkeys,
  ): Promise<OperationsCheck> {
    const note = await store.readMeta(OPERATIONS_KEYS + CHECKPOINT);
    const own = note === null ? [] : [parseCheckpoint(openNote(note, []).text)];
    return new OperationsCheck(new LedgerVerifier(checkpoints, own, readOperation, passkeys));
  }

  /** Checks a value of the log. Null: no fault. */
  async value(key: string, value: string): Promise<OperationsFault | null> {
    const seq = seqOfKey(key);
    if (seq !== null) return this.#record(seq, recordIn(value).bytes);
    return this.#tree.holds(key.slice(OPERATIONS_KEYS.length), value) ? null : { why: 'other_tree', key };
  }

  /** Records that an exporter has delivered the records up to this one. */
  exported(seq: number): void {
    this.#exported = Math.max(this.#exported, seq);
  }

  /** Call this after the last value. Null: there is no operations log. */
  report(): LedgerReport | null {
    const report = this.verifier.report();
    return report.records === 0 && report.fault === null ? null : report;
  }

  /** Call this after the last value. Null: no fault. */
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
