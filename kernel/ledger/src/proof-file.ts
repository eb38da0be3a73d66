import { base64Of } from './bytes.ts';
import type { RecordPlace } from './chained-record.ts';
import { type Checkpoint, hashFromText, parseCheckpoint } from './checkpoint.ts';
import { MalformedNote } from './malformed-note.ts';
import { type Hash, provesInclusion } from './merkle.ts';
import { openNote, type Verifier } from './note.ts';
import { readOperation, readRecord } from './record.ts';
import { leafOf } from './record-leaf.ts';

/** Proof files (https://c2sp.org/tlog-proof) for records of the ledger and the operations log. `extra` contains the record itself. */

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';

export interface ProofFile {
  /** The record's stored bytes. */
  readonly record: string;
  /** Index of the leaf, which is the record's `seq` − 1. */
  readonly index: number;
  readonly path: readonly Hash[];
  /** A signed note. */
  readonly checkpoint: string;
}

export function proofText({ record, index, path, checkpoint }: ProofFile): string {
  const lines = [FIRST_LINE, `extra ${Buffer.from(record).toString('base64')}`, `index ${index}`];
  return `${[...lines, ...path.map(base64Of)].join('\n')}\n\n${checkpoint}`;
}

/** @throws {MalformedNote} */
export function parseProof(text: string): ProofFile {
  const end = text.indexOf('\n\n');
  const [first, extra = '', place = '', ...hashes] = text.slice(0, end).split('\n');
  const [, record] = /^extra (\S+)$/.exec(extra) ?? [];
  const [, index] = /^index (0|[1-9][0-9]*)$/.exec(place) ?? [];
  if (end < 0 || first !== FIRST_LINE || record === undefined || index === undefined)
    throw new MalformedNote('not a valid proof file for one record');
  return {
    record: Buffer.from(record, 'base64').toString(),
    index: Number(index),
    path: hashes.map(hashFromText),
    checkpoint: text.slice(end + 2),
  };
}

/** A proof file proves that this record is in the tree of this checkpoint, and that these keys signed the checkpoint. */
export interface Proven {
  readonly place: RecordPlace;
  readonly checkpoint: Checkpoint;
  readonly signedBy: readonly Verifier[];
}

/** @throws {MalformedNote} for an invalid proof */
export function verifyProof(text: string, verifiers: readonly Verifier[]): Proven {
  const { record, index, path, checkpoint } = parseProof(text);
  const note = openNote(checkpoint, verifiers);
  const tree = parseCheckpoint(note.text);
  const bytes = Buffer.from(record);
  const asLedger = readRecord(bytes);
  // A record that matches none of the ledger's schemas may belong to the operations log.
  const read = asLedger === 'wrong_schema' ? readOperation(bytes) : asLedger;
  if (typeof read === 'string') throw new MalformedNote(`the record is invalid: ${read}`);
  const { place } = read;
  if (place.seq !== index + 1 || !provesInclusion(leafOf(place.hash), index, tree.size, path, tree.root))
    throw new MalformedNote('the inclusion proof does not connect the record to the root of the checkpoint');
  return { place, checkpoint: tree, signedBy: note.signedBy };
}
