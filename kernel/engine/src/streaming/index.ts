export type { AnswerSink } from './answer-sink.ts';
export { canStream } from './can-stream.ts';
export { responseStream } from './live-call.ts';
