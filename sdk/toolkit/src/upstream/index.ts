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
export type { ChunkStream, EventReader } from './chunk-stream.ts';
export { UpstreamClient } from './client.ts';
export { failureOf, noAnswer, tooMuchJson } from './failures.ts';
export { type Identity, identityOf } from './identity.ts';
export { isCount, parseAnswer, parseFrame, parseJson, parseJsonPiece, wellFormed } from './json.ts';
export { openAiAccountOptions, openAiTarget } from './openai-account.ts';
export { REFUSAL_BYTES, REFUSAL_MS, refusalError } from './refusal.ts';
export { reportRequestId } from './request-id.ts';
export { retryOf } from './retry-after.ts';
export type { SseEvent } from './sse.ts';
export { inStreamPieces } from './stream-pieces.ts';
export { addressOf, checkApiKey, HEADER_VALUE, limitOptions, type UpstreamLimits, type UpstreamTarget } from './target.ts';
export { toolPath } from './tool-path.ts';
export { turnFor } from './turn.ts';
export { type BodyReader, JsonText } from './whole-answer.ts';
