export * as assertions from './cases/assert.ts';
export type { ConformanceCase } from './cases/conformance-case.ts';
export { explained } from './cases/explained.ts';
export { pieces, random } from './cases/random.ts';
export { type ExporterFixture, exporterConformance } from './exporter/index.ts';
export {
  brokenWork,
  type FakeClock,
  type FakeCounters,
  type FakeLogger,
  type FakePluginDeps,
  fakeCallContext,
  fakeClock,
  fakeCounters,
  fakeGuardContext,
  fakeLogger,
  fakePluginDeps,
  fakeSegments,
  type LogLine,
} from './fakes/index.ts';
export { guardConformance } from './guard/index.ts';
export { type ProtocolConformanceOptions, protocolConformance, type RecordedBodies } from './protocol/index.ts';
export {
  anthropic,
  type Behaviour,
  behaviours,
  gemini,
  joinChunks,
  type LiveStream,
  providerConformance,
  responses,
  startUpstream,
  UPSTREAM_MARKER,
  type Upstream,
  type UpstreamRequest,
} from './provider/index.ts';
export {
  type EmbedderFixture,
  embedderConformance,
  type VectorsFixture,
  vectorsConformance,
} from './rag/index.ts';
export { type SecretsFixture, secretsConformance } from './secrets/index.ts';
export { type SigningFixture, signingConformance } from './secrets/signing.ts';
export {
  type CrashWork,
  commitSealed,
  createRun,
  moveRun,
  type StoreFixture,
  sampleRun,
  storeConformance,
  verifiedChain,
  workUntilKilled,
} from './store/index.ts';
