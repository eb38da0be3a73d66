/**
 * Verifies a ledger from bytes alone: no store, network, threads or other parts of the gateway. Where to start: `record.ts` defines a valid
 * record, `verify-ledger.ts` a valid ledger; `merkle.ts`, `note.ts`, `checkpoint.ts` and `proof-file.ts` implement published formats.
 * `read-ahead.ts` parses records in parallel.
 */
export { canonicalJson, sha256 } from './canonical.ts';
export {
  type Checkpoint,
  checkpointText,
  hashFromText,
  isOfOperations,
  operationsOrigin,
  parseCheckpoint,
} from './checkpoint.ts';
export { eventsTextOf, evidenceOf } from './evidence.ts';
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
export { placeRecord, prepareRecord, type RecordBody } from './prepare.ts';
export { type ProofFile, type Proven, parseProof, proofText, verifyProof } from './proof-file.ts';
export { type RecordReader, readAhead } from './read-ahead.ts';
export { leafOf, type ReadRecord, type RecordFault, type RecordPlace, readOperation, readRecord } from './record.ts';
export { rehash } from './rehash.ts';
export { type LedgerFault, type LedgerReport, LedgerVerifier, verifyLedger } from './verify-ledger.ts';
