import type { JsonObject } from '@svc/contracts';
import { fromBase64 } from './bytes.ts';
import { type RecordPlace, readChained } from './chained-record.ts';
import { type Checkpoint, hashFromText, parseCheckpoint } from './checkpoint.ts';
import { MalformedNote } from './malformed-note.ts';
import { type Hash, provesInclusion } from './merkle.ts';
import { parseNote } from './note-text.ts';
import { leafOf } from './record-leaf.ts';

/**
 * Proof files, https://c2sp.org/tlog-proof, for records of the ledger and of the operations log. The record itself is in `extra`, so that the file is
 * self-contained. Runs in browsers too.
 */

export const FIRST_LINE = 'c2sp.org/tlog-proof@v1';

export interface ProofFile {
  /** The record's stored bytes. */
  readonly record: string;
  /** Index of the leaf, which is the record's `seq` − 1. */
  readonly index: number;
  readonly path: readonly Hash[];
  /** A signed note. */
  readonly checkpoint: string;
}

/** @throws {MalformedNote} */
export function parseProof(text: string): ProofFile {
  const end = text.indexOf('\n\n');
  const [first, extra = '', place = '', ...hashes] = text.slice(0, end).split('\n');
  const record = fromBase64(/^extra (\S+)$/.exec(extra)?.[1] ?? '');
  const [, index] = /^index (0|[1-9][0-9]*)$/.exec(place) ?? [];
  if (end < 0 || first !== FIRST_LINE || record === null || record.length === 0 || index === undefined)
    throw new MalformedNote('not a valid proof file for one record');
  return {
    record: new TextDecoder('utf-8', { ignoreBOM: true }).decode(record),
    index: Number(index),
    path: hashes.map(hashFromText),
    checkpoint: text.slice(end + 2),
  };
}

/** A record that is in the tree of a checkpoint. */
export interface IncludedRecord {
  readonly place: RecordPlace;
  readonly content: JsonObject;
  readonly checkpoint: Checkpoint;
}

/**
 * Checks the form, hash and place of the record in a proof file, and that the tree of the checkpoint includes it. Checks neither the record's schema nor the
 * signatures of the checkpoint.
 * @throws {MalformedNote}
 */
export function includedRecord({ record, index, path, checkpoint }: ProofFile): IncludedRecord {
  const tree = parseCheckpoint(parseNote(checkpoint).text);
  const content = readChained(new TextEncoder().encode(record));
  if (typeof content === 'string') throw new MalformedNote(`the record is invalid: ${content}`);
  const { seq, prev_hash, hash } = content;
  if (seq !== index + 1 || !provesInclusion(leafOf(String(hash)), index, tree.size, path, tree.root))
    throw new MalformedNote('the inclusion proof does not connect the record to the root of the checkpoint');
  return { place: { seq, prev_hash: String(prev_hash), hash: String(hash) }, content, checkpoint: tree };
}
