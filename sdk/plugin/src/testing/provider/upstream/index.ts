export { UPSTREAM_MARKER } from './answers.ts';
export type { Behaviour, UpstreamRequest } from './behaviour.ts';
/** Behaviours of an upstream double, and their parts. */
export * as behaviours from './behaviours.ts';
export type { LiveStream } from './live-stream.ts';
export { startUpstream, type Upstream } from './server.ts';
