export type { AnswerSink } from './answer-sink.ts';
export { canStream } from './can-stream.ts';
