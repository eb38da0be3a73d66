export { Approvals } from './approvals.ts';
export { Audit, type LedgerFilter, type LedgerRecord, type RunFilter } from './audit.ts';
export { ChatStream, StreamError, type StreamStop } from './chat-stream.ts';
export { type ChatAnswer, SvcClient } from './client.ts';
export { HttpStatusError } from './http-status-error.ts';
export type * from './openapi.ts';
export { RunEvents } from './run-events.ts';
export { Runs, type WaitOptions } from './runs.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
