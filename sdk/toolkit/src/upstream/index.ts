/** For authors of providers that call a model server over HTTP. */
export { isObject, JSON_VALUE_BYTES } from '@svc/contracts';
export type { ChunkStream, ReadEvents } from './chunk-stream.ts';
export { UpstreamClient } from './client.ts';
export { endedEarly, failureOf, kindOfStatus, malformed, noAnswer, tooMuchJson } from './failures.ts';
export { type FunctionCall, functionCallOf } from './function-call.ts';
export { type Identity, identityOf } from './identity.ts';
export { isCount, parseJson, parseJsonPiece, wellFormed } from './json.ts';
export { openAiAccountOptions, openAiTarget } from './openai-account.ts';
export { REFUSAL_BYTES, REFUSAL_MS, refusalError } from './refusal.ts';
export { refusalDetails } from './refusal-meaning.ts';
export { reportedError } from './reported-error.ts';
export { reportRequestId } from './request-id.ts';
export { retryOf } from './retry-after.ts';
export type { SseEvent } from './sse.ts';
export { addressOf, checkApiKey, HEADER_VALUE, limitOptions, type UpstreamLimits, type UpstreamTarget } from './target.ts';
export { TextPieces } from './text-pieces.ts';
export { toolPath } from './tool-path.ts';
export { turnFor } from './turn.ts';
