export { isAddedContext } from './added-context.ts';
export type {
  ChatChoice,
  ChatChunkChoice,
  ChatCompletion,
  ChatCompletionChunk,
  ChatMessage,
  ChatRequest,
  ChatUsage,
  ThinkingBlock,
  TokenUsage,
  ToolCall,
  ToolCallDelta,
} from './chat.ts';
export type { ContentItem } from './content-item.ts';
export type { CounterHold, CounterSettlement, Counters, ReserveOutcome } from './counters.ts';
export type { Door, DoorCall, ProtocolPlugin, ReceivedRequest, ReceivedTexts } from './door.ts';
export type { CounterRow, DumpItem, DumpKind, ReservationRow, StoreTotals } from './dump.ts';
export { errorMessage, errorName } from './error-text.ts';
export { ERROR_CODES, type ErrorCode, isSvcError, SvcError, type SvcErrorOptions } from './errors.ts';
export { cloneJson, exactDigits, mayLoseDigits, parseBody, parseExact } from './exact-json.ts';
export type { DeliveryFailure, Exporter, ExportRecord } from './exporter.ts';
export { GENESIS } from './genesis.ts';
export {
  type AddedContext,
  type Cost,
  type EndpointVerdict,
  type Finding,
  type Guard,
  type GuardContext,
  type GuardDeps,
  type GuardDiagnostic,
  type GuardReservations,
  type GuardResult,
  type GuardScan,
  type GuardStream,
  type GuardStreaming,
  type HeavyWork,
  type Hint,
  type LintedRoute,
  type Settled,
  type Spend,
  STAGES,
  type Stage,
  type StreamChunk,
  type StreamStep,
  VERDICTS,
  type Verdict,
} from './guard.ts';
export { isoTime } from './iso-time.ts';
export { isObject, type JsonObject, type JsonValue } from './json.ts';
export { JSON_LIMITS, JSON_VALUE_BYTES, JsonCounter, type JsonExcess, type JsonLimits } from './json-counter.ts';
export {
  type LedgerEntry,
  type LedgerHead,
  type LedgerRecord,
  type LedgerRecordType,
  ModelInventory,
  type RecordParts,
  RunEvidence,
  SESSION_ID,
  type SessionHead,
  SessionPlace,
  type UnplacedRecord,
} from './ledger.ts';
export { mergedFindings } from './merged-findings.ts';
export { nextTurn } from './next-turn.ts';
export { NodeSettings, nodeSettingsOf } from './node-settings.ts';
export type { OnBehalfOf } from './on-behalf-of.ts';
export { type NewOperation, OPERATION_ACTIONS, Operation, type OperationAction } from './operation.ts';
export {
  hasState,
  isLooser,
  isStatefulKind,
  OPERATIONAL_STATES,
  type OperationalState,
  type RequestedState,
  STATEFUL_KINDS,
  STRICTEST,
  type StatefulKind,
  type StateTarget,
} from './operational-state.ts';
export { isOptionsSchema, isOptionsSchemaError, OPTIONS_FAULT, OptionsSchemaError } from './options-schema.ts';
export {
  API_VERSION,
  KERNEL_KEYS,
  PLUGIN_BRAND,
  PLUGIN_KINDS,
  type PluginDefinition,
  type PluginInstances,
  type PluginKind,
  PluginManifest,
} from './plugin.ts';
export { configuredPrice, costOf, type Price, Rates, ratesNamed, type TimedRates } from './price.ts';
export type {
  AnswerBody,
  AnswerFacts,
  AnswerFrame,
  AnswerIdentity,
  Bridge,
  Bridged,
  BridgedProtocol,
  FieldTable,
  FrameBridge,
  FrameEnding,
  FramePart,
  FramePlace,
  FrameReader,
  FrameReading,
  OpaqueKind,
  Place,
  Protocol,
  ProtocolFrames,
  ProtocolId,
  RequestBody,
  RequestFacts,
  RequestParameters,
  TracedRequest,
  UpstreamHead,
  Vocabulary,
} from './protocol.ts';
export {
  type AnyProvider,
  type CallContext,
  type ContextLength,
  type EmbeddingRequest,
  type Endpoint,
  type FrameIterator,
  isProviderError,
  PROVIDER_ERROR_KINDS,
  type Provider,
  type ProviderAnswer,
  type ProviderEmbeddings,
  ProviderError,
  type ProviderErrorKind,
  type ProviderErrorOptions,
  type ProviderStream,
  type UpstreamTimeouts,
} from './provider.ts';
export {
  type Embedder,
  type FoundDocument,
  NAMESPACE_PATTERN,
  type NewVector,
  type RagDocument,
  type RagNamespace,
  type RetrieveOptions,
  type Retriever,
  type Vectors,
} from './rag.ts';
export type { Approver, EvidencePointer, RunRow } from './run.ts';
export {
  EVENT_DATA,
  EVENT_SCHEMAS,
  EVENT_STAGES,
  EVENT_TYPES,
  type EventData,
  type EventStage,
  type EventType,
  RunEvent,
  runEvent,
  stateEvent,
} from './run-event.ts';
export { type EndedStatus, RUN_STATUSES, type RunStatus } from './run-status.ts';
export type { Clock, Logger, PluginDeps } from './runtime.ts';
export {
  type AnySecretsBackend,
  type HeldKey,
  type RefreshedSecret,
  SECRET_FAILURES,
  SecretFailedError,
  type SecretFailure,
  type SecretsBackend,
  type SigningBackend,
  type SigningKey,
  secretFailureOf,
} from './secrets.ts';
export {
  type Edit,
  type Segment,
  type SegmentKind,
  type SkippedPart,
  strictestOrigin,
  TEXT_ORIGINS,
  type TextOrigin,
} from './segment.ts';
export { turnOfStream } from './shared-turn.ts';
export { DecisionStatement, MAX_SIGNED_COPIES, PasskeyRegistered, SignedDecision } from './signed-decision.ts';
export { sizeOf } from './size-of.ts';
export { finished, inFewTurns, inOneTurn, inTurns, type Steps, soon } from './steps.ts';
export {
  BadCursor,
  type CommitOutcome,
  isStoreError,
  type Lease,
  type LedgerQuery,
  type RunChange,
  type RunPage,
  type RunQuery,
  type SeqRange,
  type Store,
  type StoreAccess,
  type StoredRecord,
  StoreError,
  type StoreErrorCode,
} from './store.ts';
export { isThenable } from './thenable.ts';
export { type Raced, TimeoutBudget, withTimeout } from './timeout-budget.ts';
export {
  type AnswerTools,
  type MadeCall,
  NO_ANSWER_TOOLS,
  type OfferedTool,
  type ProtocolTools,
  type RequestTools,
  type RunTools,
  readWithheld,
  runTools,
  type ToolKind,
  type ToolName,
  type ToolResult,
  type Withheld,
} from './tools.ts';
export { Turns } from './turns.ts';
export {
  codeOf,
  type FailureMeaning,
  isUpstreamErrorCode,
  meaningOf,
  UPSTREAM_ERROR_CODES,
  type UpstreamErrorCode,
} from './upstream-error.ts';
export { VENDOR_TOOLS, withoutDate } from './vendor-tools.ts';
