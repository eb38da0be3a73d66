import { type ChainStart, FROM_GENESIS } from './chain-start.ts';
import type { After, RecordPlace } from './chained-record.ts';
import type { Checkpoint } from './checkpoint.ts';
import { HashTable } from './hash-table.ts';
import { type Hash, isSameHash } from './merkle.ts';
import type { RecordFault } from './record.ts';
import { SessionChains, type SessionRecord } from './session-chains.ts';
import { TreeHash } from './tree-hash.ts';

/**
 * Where and how a ledger is broken. `cut_off`: a checkpoint covers more records than there are. `not_as_signed`: the chain is valid but does not
 * match a checkpoint, so records were rewritten.
 */
export interface LedgerFault {
  /** `seq` of the first wrong record, or of the first record that could be wrong if it is not known which one is. */
  readonly seq: number;
  /** `seq` of the last record that could be the first wrong one. Equal to `seq` if the first wrong one is known. */
  readonly through: number;
  readonly why: RecordFault | 'second_evidence' | 'cut_off' | 'not_as_signed';
}

export interface LedgerReport {
  /** `seq` of the last valid record: their number, if they start with the first. */
  readonly records: number;
  /** How many of the valid records are evidence. Each is of a different run. */
  readonly evidence: number;
  /** Hash of the last valid record, or `genesis`. */
  readonly head: string;
  /** Root of the tree over the valid records. */
  readonly root: Hash;
  /** How many records, counted from the first, a checkpoint covers. 0 without a checkpoint. */
  readonly anchored: number;
  /** Null: the ledger is valid. */
  readonly fault: LedgerFault | null;
}

/** The fields of a record that are needed to verify a ledger. */
export interface ChainRecord {
  readonly place: RecordPlace;
  /** The run that the record is evidence of, or null. */
  readonly run: ({ readonly run_id: string } & SessionRecord) | null;
}

/** Verifies a log, or the part of it after a proven start, record by record, and compares it with checkpoints. */
export class ChainVerifier<R extends ChainRecord> {
  readonly #tree: TreeHash;
  readonly #runs = new HashTable('set');
  /** The sessions of the records so far. */
  readonly sessions: SessionChains;
  readonly #read: (bytes: Uint8Array, after: After) => R | RecordFault;
  /** Checkpoints that are not reached yet, smallest first. */
  readonly #checkpoints: { readonly checkpoint: Checkpoint; readonly anchors: boolean }[];
  #head: string;
  #anchored = 0;
  #fault: LedgerFault | null = null;

  /**
   * @param read parses and checks a record
   * @param checkpoints checkpoints whose signatures the caller has verified
   * @param own checkpoints stored with the ledger; they must match too, but by themselves prove nothing about the ledger
   * @param start where the records begin. Checkpoints of an earlier size are never met
   */
  constructor(
    read: (bytes: Uint8Array, after: After) => R | RecordFault,
    checkpoints: readonly Checkpoint[] = [],
    own: readonly Checkpoint[] = [],
    start: ChainStart = FROM_GENESIS,
  ) {
    this.#read = read;
    this.#tree = new TreeHash(start);
    this.#head = start.head;
    this.sessions = new SessionChains(start.size > 0);
    const kept = checkpoints.map((checkpoint) => ({ checkpoint, anchors: true }));
    const beside = own.map((checkpoint) => ({ checkpoint, anchors: false }));
    this.#checkpoints = [...kept, ...beside].sort((a, b) => a.checkpoint.size - b.checkpoint.size);
    this.#meetCheckpoints();
  }

  /**
   * @param elsewhere the record as another thread parsed it; if it is absent or was parsed for another position in the chain, the bytes are parsed
   * here
   * @returns the parsed record, or null: the ledger is broken, and later records are ignored
   */
  add(bytes: Uint8Array, elsewhere?: R): R | null {
    if (this.#fault !== null) return null;
    const { size } = this.#tree;
    const isNext = elsewhere?.place.seq === size + 1 && elsewhere.place.prev_hash === this.#head;
    const read = isNext ? elsewhere : this.#read(bytes, { seq: size, hash: this.#head });
    if (typeof read === 'string') return this.#break(size + 1, read);
    if (read.run !== null && !this.#runs.put(read.run.run_id.toLowerCase())) return this.#break(size + 1, 'second_evidence');
    if (read.run !== null && !this.sessions.add(read.run, read.place.hash)) return this.#break(size + 1, 'wrong_session');
    this.#head = read.place.hash;
    this.#tree.append(this.#head);
    this.#meetCheckpoints();
    return this.#fault === null ? read : null;
  }

  get fault(): LedgerFault | null {
    return this.#fault;
  }

  /** `seq` of the last valid record so far. */
  get records(): number {
    return this.#tree.size;
  }

  /** Hash of the last valid record, or `genesis`. */
  get head(): string {
    return this.#head;
  }

  /** Call this when all records have been added. */
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
      if (!isSameHash(this.#tree.root(), root)) {
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
