export { type ByteReservation, BytesInFlight } from './bytes-in-flight.ts';
export {
  ConfigSchema,
  closeInstances,
  type DepsFactories,
  type Diagnostic,
  formatDiagnostic,
  type LoadResult,
  loadConfig,
  loadStoreConfig,
  type PluginListing,
  PluginRegistry,
  type RagNode,
  type ResolvedConfig,
} from './config/index.ts';
export { KeyTree } from './content/key-tree.ts';
export type { ContentKeys } from './content/keys.ts';
export { isoTime } from './iso-time.ts';
export { boundedCounters } from './ledger/bounded-counters.ts';
export { canonicalJson } from './ledger/canonical.ts';
export { backUpStore, CopyRefused, type CopyReport, copyStore } from './ledger/copy-store.ts';
export { LedgerMoved, takeBack } from './ledger/moved.ts';
export { StoreCheck, type StoreFault } from './ledger/store-check.ts';
export { GuardFile } from './ledger/tree/guard-file.ts';
export type { ConsistencyProof, SignedCheckpoint } from './ledger/tree/keeper.ts';
export type { AuditReport, LedgerKeys } from './lifecycle/audit.ts';
export { Closing } from './lifecycle/closing.ts';
export { type EraseOptions, eraseAllAtStore, eraseAtStore } from './lifecycle/erase-at-store.ts';
export { Gateway } from './lifecycle/gateway.ts';
export type { GatewayOptions, LedgerOptions } from './lifecycle/gateway-options.ts';
export { type BuiltRoute, buildIndexPipeline, buildRoutes } from './lifecycle/runtime-routes.ts';
export {
  BLIND,
  type CallReport,
  type NodeReport,
  type Observer,
  type RagOutcome,
  type RagWork,
  type RunReport,
} from './observer.ts';
export type { RuntimeRoute } from './pipeline/index.ts';
export { discoverPlugins, findPlugin, loadPlugin, nearestPackageJson, type PluginCatalogue, pinOf } from './plugins/index.ts';
export { type NewDocument, Rag, type RagFolders } from './rag/index.ts';
export {
  type Decision,
  type Erased,
  type PendingView,
  type RunOutcome,
  type RunView,
  responseText,
  type Stop,
} from './runs/index.ts';
export { type Unrecordable, whyUnrecordable } from './segments/index.ts';
export { type AnswerSink, flows } from './streaming/index.ts';
export { pep440, VERSION } from './version.ts';
export { GuardPool } from './workers/guard-pool.ts';
export { RecordThreads } from './workers/record-threads.ts';
