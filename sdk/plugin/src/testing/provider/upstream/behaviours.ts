export { answer, failure, frames, JSON_HEADERS, raw, SSE_HEADERS, send, sseFrame } from './answers.ts';
export { chunksOf, completionOf } from './echoed.ts';
export { embeddings } from './embeddings.ts';
export { liveStream } from './live-stream.ts';
export { broken, dripped, held, RUBBISH, stalled } from './trouble.ts';
