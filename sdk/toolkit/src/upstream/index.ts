/** For authors of providers that call a model server over HTTP. */
export { isObject, JSON_VALUE_BYTES } from '@svc/contracts';
export {
  endedEarly,
  type FunctionCall,
  functionCallOf,
  kindOfStatus,
  malformed,
  refusalDetails,
  reportedError,
  TextPieces,
} from '@svc/protocols';
export { fetchOver } from '../network/fetch-over.ts';
export { type ClientDeps, Network, type NetworkDeps } from '../network/network.ts';
export { retryOf } from '../network/retry-after.ts';
export type { ChunkStream, EventReader } from './chunk-stream.ts';
export { UpstreamClient } from './client.ts';
export { failureOf, noAnswer, tooMuchJson } from './failures.ts';
export { HEADER_VALUE } from './header-value.ts';
export { type Identity, identityOf } from './identity.ts';
export { isCount, parseAnswer, parseFrame, parseJson, parseJsonPiece, wellFormed } from './json.ts';
export { openAiAccountOptions, openAiTarget } from './openai-account.ts';
export { REFUSAL_BYTES, REFUSAL_MS, refusalError } from './refusal.ts';
export { reportRequestId } from './request-id.ts';
export type { SseEvent } from './sse.ts';
export { inStreamPieces } from './stream-pieces.ts';
export {
  addressOf,
  type ConnectionOptions,
  checkApiKey,
  connectionOptions,
  type UpstreamTarget,
} from './target.ts';
export { toolPath } from './tool-path.ts';
export { turnFor } from './turn.ts';
export { type BodyReader, JsonText } from './whole-answer.ts';
