import { GENESIS } from '../contracts/index.ts';
import type { Checkpoint } from './checkpoint.ts';
import { FastReader, type Read, SHA256 } from './fast-reader.ts';
import type { Hash } from './merkle.ts';
import { type RecordFault, readRecord } from './record.ts';
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
  readonly #reader = new FastReader();
  readonly #tree = new TreeHash();
  readonly #runs = new RunIds();
  /** Those that were not met yet, the smallest first. */
  readonly #checkpoints: { readonly checkpoint: Checkpoint; readonly anchors: boolean }[];
  /** Digest of the last whole record, null for none. */
  #last: string | null = null;
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

  /** @returns false: the ledger is broken, and nothing more is looked at */
  add(bytes: Buffer): boolean {
    if (this.#fault !== null) return false;
    const { size } = this.#tree;
    const read = this.#reader.read(bytes, size, this.#last) ?? readPlainly(bytes, { seq: size, hash: this.head });
    if (typeof read === 'string') return this.#break(size + 1, read);
    if (read.run_id !== null && !this.#runs.add(read.run_id)) return this.#break(size + 1, 'second_evidence');
    this.#last = read.digest;
    this.#tree.append(read.digest);
    return this.#meetCheckpoints();
  }

  /** Whole records so far. */
  get records(): number {
    return this.#tree.size;
  }

  /** Hash of the last of them; `genesis` for none. */
  get head(): string {
    return this.#last === null ? GENESIS : SHA256 + this.#last;
  }

  /** Whether a run has its evidence among the records. */
  hasEvidence(run_id: string): boolean {
    return this.#runs.has(Buffer.from(run_id));
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

  #meetCheckpoints(): boolean {
    for (let next = this.#checkpoints[0]; next?.checkpoint.size === this.#tree.size; next = this.#checkpoints[0]) {
      const { size, root } = next.checkpoint;
      if (!this.#tree.root().equals(root)) return this.#break(this.#anchored + 1, 'not_as_signed', size);
      if (next.anchors) this.#anchored = size;
      this.#checkpoints.shift();
    }
    return true;
  }

  #break(seq: number, why: LedgerFault['why'], through = seq): false {
    this.#fault = { seq, through, why };
    return false;
  }
}

function readPlainly(bytes: Buffer, after: { seq: number; hash: string }): Read | RecordFault {
  const read = readRecord(bytes, after);
  if (typeof read === 'string') return read;
  return { digest: read.place.hash.slice(SHA256.length), run_id: read.run_id === null ? null : Buffer.from(read.run_id) };
}

/** The same, of records that are texts. */
export async function verifyLedger(
  records: AsyncIterable<string> | Iterable<string>,
  checkpoints: readonly Checkpoint[] = [],
): Promise<LedgerReport> {
  const verifier = new LedgerVerifier(checkpoints);
  for await (const text of records) if (!verifier.add(Buffer.from(text))) break;
  return verifier.report();
}
