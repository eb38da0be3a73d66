export { UPSTREAM_MARKER } from './answers.ts';
/** What an upstream double can be told to do, and what such behaviours are made of. */
export * as behaviours from './behaviours.ts';
export type { LiveStream } from './live-stream.ts';
export { type Behaviour, startUpstream, type Upstream, type UpstreamRequest } from './server.ts';
