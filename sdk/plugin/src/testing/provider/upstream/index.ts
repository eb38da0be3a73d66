export { UPSTREAM_MARKER } from './answers.ts';
/** Behaviours of an upstream double, and their parts. */
export * as behaviours from './behaviours.ts';
export type { LiveStream } from './live-stream.ts';
export { type Behaviour, startUpstream, type Upstream, type UpstreamRequest } from './server.ts';
