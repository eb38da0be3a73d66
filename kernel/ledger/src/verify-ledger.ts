import { GENESIS } from '@svc/contracts';
import type { Checkpoint } from './checkpoint.ts';
import type { Hash } from './merkle.ts';
import { type ReadRecord, type RecordFault, readRecord } from './record.ts';
import { RunIds } from './run-ids.ts';
import { TreeHash } from './tree-hash.ts';

/**
 * Where a ledger is broken, and how. `cut_off`: a checkpoint has more records than there are. `not_as_signed`: all links hold, but the
 * records are not those of a checkpoint, so they were written anew.
 */
export interface LedgerFault {
  /** The first record that is, or may be, wrong: what its `seq` should be. */
  readonly seq: number;
  /** The last one that may be the first wrong one; the same as `seq` where that is known. */
  readonly through: number;
  readonly why: RecordFault | 'second_evidence' | 'cut_off' | 'not_as_signed';
}

export interface LedgerReport {
  /** Records that are whole, counted from the first. */
  readonly records: number;
  /** Those of them that are evidence of a run. No two are of the same. */
  readonly evidence: number;
  /** Hash of the last whole record; `genesis` for none. */
  readonly head: string;
  /** Of the tree over the whole records. */
  readonly root: Hash;
  /** So many records, from the first, are those of a checkpoint; 0 without one. */
  readonly anchored: number;
  /** Null: the ledger is whole. */
  readonly fault: LedgerFault | null;
}

/** Checks a ledger from its first record, one after another, and that it is the one that the checkpoints are of. */
export class LedgerVerifier {
  readonly #tree = new TreeHash();
  readonly #runs = new RunIds();
  /** Those that were not met yet, the smallest first. */
  readonly #checkpoints: { readonly checkpoint: Checkpoint; readonly anchors: boolean }[];
  #head: string = GENESIS;
  #anchored = 0;
  #fault: LedgerFault | null = null;

  /**
   * @param checkpoints whose signatures the caller has checked
   * @param own those that whoever holds the ledger keeps beside it: they must hold too, and anchor nothing
   */
  constructor(checkpoints: readonly Checkpoint[] = [], own: readonly Checkpoint[] = []) {
    const kept = checkpoints.map((checkpoint) => ({ checkpoint, anchors: true }));
    const beside = own.map((checkpoint) => ({ checkpoint, anchors: false }));
    this.#checkpoints = [...kept, ...beside].sort((a, b) => a.checkpoint.size - b.checkpoint.size);
    this.#meetCheckpoints();
  }

  /**
   * @param elsewhere what {@link readRecord} said of these bytes in another thread; left out, or of another place: they are read here
   * @returns what the record says; null: the ledger is broken, and nothing more is looked at
   */
  add(bytes: Uint8Array, elsewhere?: ReadRecord): ReadRecord | null {
    if (this.#fault !== null) return null;
    const { size } = this.#tree;
    const isNext = elsewhere?.place.seq === size + 1 && elsewhere.place.prev_hash === this.#head;
    const read = isNext ? elsewhere : readRecord(bytes, { seq: size, hash: this.#head });
    if (typeof read === 'string') return this.#break(size + 1, read);
    if (read.run !== null && !this.#runs.add(read.run.run_id)) return this.#break(size + 1, 'second_evidence');
    this.#head = read.place.hash;
    this.#tree.append(this.#head);
    this.#meetCheckpoints();
    return this.#fault === null ? read : null;
  }

  /** Whole records so far. */
  get records(): number {
    return this.#tree.size;
  }

  /** Hash of the last of them; `genesis` for none. */
  get head(): string {
    return this.#head;
  }

  /** Once all records were added. */
  report(): LedgerReport {
    const { size } = this.#tree;
    if (this.#fault === null && this.#checkpoints.length > 0) this.#break(size + 1, 'cut_off');
    return {
      records: size,
      evidence: this.#runs.size,
      head: this.head,
      root: this.#tree.root(),
      anchored: this.#anchored,
      fault: this.#fault,
    };
  }

  #meetCheckpoints(): void {
    for (let next = this.#checkpoints[0]; next?.checkpoint.size === this.#tree.size; next = this.#checkpoints[0]) {
      const { size, root } = next.checkpoint;
      if (!this.#tree.root().equals(root)) {
        this.#break(this.#anchored + 1, 'not_as_signed', size);
        return;
      }
      if (next.anchors) this.#anchored = size;
      this.#checkpoints.shift();
    }
  }

  #break(seq: number, why: LedgerFault['why'], through = seq): null {
    this.#fault = { seq, through, why };
    return null;
  }
}

/** The same, of records that are texts. */
export async function verifyLedger(
  records: AsyncIterable<string> | Iterable<string>,
  checkpoints: readonly Checkpoint[] = [],
): Promise<LedgerReport> {
  const verifier = new LedgerVerifier(checkpoints);
  for await (const text of records) if (verifier.add(Buffer.from(text)) === null) break;
  return verifier.report();
}
