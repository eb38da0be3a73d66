export { type ByteReservation, BytesInFlight } from './admission/bytes-in-flight.ts';
export { stopping } from './admission/stopping.ts';
export { asProviderError } from './calls/as-provider-error.ts';
export { callerError } from './calls/caller-error.ts';
export { mayHaveCost } from './calls/provider-failure.ts';
export { estimatedTokens, MAX_COUNTED, type TokenCounter } from './calls/usage.ts';
export { KeyNodes, leafPlace, type Place, placeAbove } from './content/key-nodes.ts';
export type { ContentKey, ContentKeys } from './content/key-tree.ts';
export { KeyTree } from './content/key-tree.ts';
export { keyGone, type MetaStore, NamespaceKeys } from './content/namespace-keys.ts';
export { leftOutOf, responseText } from './content/run-content.ts';
export { isSealed, openText, sealText } from './content/sealed-text.ts';
export { UnknownContentKey } from './content/unknown-content-key.ts';
export type { RunOutcome } from './core/outcome.ts';
export { nodesOf, type PipelineNode, type RuntimeRoute } from './core/route.ts';
export type { RunStop } from './core/run-stop.ts';
export type { PipelineEnv } from './core/stage.ts';
export { createGateway, type EmbeddedGateway, type NewGateway } from './embedding/create-gateway.ts';
export type { NewRoute } from './embedding/new-route.ts';
export { pluginDeps } from './embedding/plugin-deps.ts';
export { withPriceOf } from './endpoints/with-price.ts';
export { boundedCounters } from './ledger/bounded-counters.ts';
export { backUpStore, CopyRefused, type CopyReport, copyStore } from './ledger/copy-store.ts';
export type { RouteInventory } from './ledger/inventory.ts';
export { LedgerMigrated, undoMigration } from './ledger/migrated.ts';
export type { OperationsFault } from './ledger/operations-check.ts';
export { StoreCheck, type StoreFault } from './ledger/store-check.ts';
export { CheckpointPin } from './ledger/tree/checkpoint-pin.ts';
export { Closing } from './lifecycle/closing.ts';
export { Gateway } from './lifecycle/gateway.ts';
export type { GatewayOptions, LedgerOptions, RouteSet } from './lifecycle/gateway-options.ts';
export type { UsedPlugin } from './lifecycle/gateway-started.ts';
export type { Proofs } from './lifecycle/proofs.ts';
export type { GuardFailureReport } from './observing/guard-failure.ts';
export {
  type CallReport,
  type CircuitCause,
  type NodeReport,
  noopObserver,
  type Observer,
  type RagOutcome,
  type RagWork,
  type RunReport,
  safeObserver,
} from './observing/observer.ts';
export { changeState } from './operational-states/change-state.ts';
export { OperationalStates, type StateEntry } from './operational-states/operational-states.ts';
export type { AskedRun } from './operations/asked-run.ts';
export { type Erased, erasure } from './operations/erase.ts';
export { type EraseOptions, eraseAllAtStore, eraseAtStore } from './operations/erase-at-store.ts';
export { screenRequest } from './operations/screen-request.ts';
export { SerialByName } from './operations/serial-by-name.ts';
export type { ConversationView, ListedRun, ReportedStop, RunView } from './operations/stored-runs.ts';
export { UnderWay } from './operations/under-way.ts';
export { type ApplyOperation, OperationsLog } from './operations-log/operations-log.ts';
export {
  type AllowList,
  discoverPlugins,
  findPlugin,
  type PluginCatalogue,
  type PluginEntry,
  type PluginRoot,
} from './plugins/discover.ts';
export { isGuard } from './plugins/is-guard.ts';
export { loadPlugin } from './plugins/load.ts';
export { nearestPackageJson } from './plugins/package-json.ts';
export { pinOf } from './plugins/pin.ts';
export { PluginLoadError } from './plugins/plugin-load-error.ts';
export { assertKnownRoles, type Unrecordable, whyUnrecordable } from './segments/index.ts';
export { type AnswerSink, canStream } from './streaming/index.ts';
export { EmbeddingCall } from './vectors/embedding-call.ts';
export { pep440, VERSION } from './version.ts';
export { GuardPool } from './workers/guard-pool.ts';
export type { GuardWorkers } from './workers/guard-workers.ts';
export { RecordThreads } from './workers/record-threads.ts';
