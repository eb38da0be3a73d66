import { GENESIS } from '@svc/contracts';
import { type Hash, inclusionPath } from './merkle.ts';
import { includedRecord, type ProofFile } from './proof-file.ts';

/** The state of a log before the first record of a part. */
export interface ChainStart {
  /** Number of records before the part. */
  readonly size: number;
  /** Hash of the record before, or `genesis`. */
  readonly head: string;
  /** Roots of the full subtrees over the records before, largest first. */
  readonly roots: readonly Hash[];
}

export const FROM_GENESIS: ChainStart = { size: 0, head: GENESIS, roots: [] };

/**
 * Where a part of a log begins, from the inclusion proof of its first record: the left hashes of the path are the subtrees over all earlier records, in a
 * tree of any size. The caller verifies the signatures of the proof's checkpoint.
 * @throws {MalformedNote} for an invalid proof
 */
export function chainStart(proof: ProofFile): ChainStart {
  const { place, checkpoint } = includedRecord(proof);
  const subtrees = inclusionPath(proof.index, checkpoint.size);
  const roots = proof.path.filter((_, at) => (subtrees[at]?.end ?? Number.POSITIVE_INFINITY) <= proof.index);
  return { size: proof.index, head: place.prev_hash, roots: roots.reverse() };
}
