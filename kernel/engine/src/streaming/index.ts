export type { AnswerSink } from './answer-sink.ts';
export { flows } from './flows.ts';
export type { AnswerLine } from './frame-writer.ts';
export { callLive } from './live-call.ts';
