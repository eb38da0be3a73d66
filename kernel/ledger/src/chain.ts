/** Verifies the chain of a log, and single proofs, without schemas. Runs in browsers too. */
export { base64Of } from './bytes.ts';
export { canonicalJson, sha256 } from './canonical.ts';
export { type ChainStart, chainStart } from './chain-start.ts';
export { type ChainRecord, ChainVerifier, type LedgerFault, type LedgerReport } from './chain-verifier.ts';
export { type ChainFault, hashOf, type RecordPlace, readChained } from './chained-record.ts';
export {
  type Checkpoint,
  checkpointText,
  hashFromText,
  isOfOperations,
  operationsOrigin,
  parseCheckpoint,
} from './checkpoint.ts';
export { MalformedNote } from './malformed-note.ts';
export {
  consistencyPath,
  EMPTY_ROOT,
  type Hash,
  inclusionPath,
  isSameHash,
  leafHash,
  nodeHash,
  provesConsistency,
  provesInclusion,
  type Range,
  splitOf,
} from './merkle.ts';
export { noteSigners } from './note-signers.ts';
export { parseNote, signatureLine } from './note-text.ts';
export { recordsIn } from './page.ts';
export { placeRecord, prepareRecord, type RecordBody } from './prepare.ts';
export { type IncludedRecord, includedRecord, type ProofFile, parseProof } from './proof-file.ts';
export { leafOf } from './record-leaf.ts';
export { rehash } from './rehash.ts';
export { SessionChains, sessionKey } from './session-chains.ts';
export { entriesIn, entryBundle, hashesInTile, isEntry, tileBytes } from './tile-bytes.ts';
export { parseTilePath, TILE_WIDTH, type TilePlace, tilePath, widthIn } from './tile-path.ts';
export { type ReadTile, rangeHash, rootOfTiles, type Tile, TileEdge } from './tile-tree.ts';
export { TreeHash } from './tree-hash.ts';
