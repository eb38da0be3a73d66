/** Checks what the ledger claims, from bytes alone: no store, no network, nothing of the gateway. */
export { type Checkpoint, checkpointText, hashFromText, parseCheckpoint } from './checkpoint.ts';
export {
  consistencyPath,
  EMPTY_ROOT,
  type Hash,
  inclusionPath,
  leafHash,
  nodeHash,
  provesConsistency,
  provesInclusion,
  type Range,
  splitOf,
} from './merkle.ts';
export {
  MalformedNote,
  type OpenedNote,
  openNote,
  parseVerifierKey,
  type Signer,
  signNote,
  type Verifier,
  verifierKey,
} from './note.ts';
export { type ProofFile, type Proven, parseProof, proofText, verifyProof } from './proof-file.ts';
export { leafOf, type RecordFault, type RecordPlace, readRecord } from './record.ts';
