/**
 * Verifies a ledger from its bytes alone, without store, network, threads or other parts of the gateway. Where to start: `chained-record.ts` and
 * `record.ts` define a valid record, and `chain-verifier.ts` a valid ledger. `merkle.ts`, `note.ts`, `checkpoint.ts` and `proof-file.ts` implement
 * published formats. `chain.ts` lists the parts that also run in browsers. `read-ahead.ts` parses records in parallel.
 */
export { type AddCheckpoint, addCheckpointText, parseAddCheckpoint } from './add-checkpoint.ts';
export * from './chain.ts';
export { coseKey } from './cose-key.ts';
export { type Cosignature, cosign, cosignaturesIn, parseWitnessKey, withSignatures, witnessKey } from './cosignature.ts';
export { eventsTextOf, evidenceOf } from './evidence.ts';
export { HashTable } from './hash-table.ts';
export {
  isSignedBy,
  type OpenedNote,
  openNote,
  parseVerifierKey,
  type Signer,
  signingKey,
  signNote,
  type Verifier,
  verifierKey,
} from './note.ts';
export { type PasskeyFault, Passkeys } from './passkeys.ts';
export { type RecordReader, readAhead } from './read-ahead.ts';
export { type ReadRecord, type RecordFault, readOperation, readRecord } from './record.ts';
export {
  type SessionCheckpoint,
  sessionCheckpointText,
  sessionExtent,
  sessionKeyIn,
  sessionOrigin,
  sessionReader,
} from './session-log.ts';
export { challengeOf, STATEMENT_MS, signaturesIn } from './signed-decision.ts';
export { LedgerVerifier, verifyLedger } from './verify-ledger.ts';
export { type Proven, proofText, verifyProof } from './verify-proof.ts';
export { parsePolicy, policyOfAll, type WitnessPolicy } from './witness-policy.ts';
