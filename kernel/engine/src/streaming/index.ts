export type { AnswerSink } from './answer-sink.ts';
export { flows } from './flows.ts';
export { responseStream } from './live-call.ts';
