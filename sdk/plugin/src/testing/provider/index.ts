/** Behaviours of a server of Anthropic's Messages API, for {@link startUpstream}. The OpenAI-compatible ones are `behaviours`. */
export * as anthropic from './anthropic/index.ts';
export { providerConformance } from './conformance.ts';
export { joinChunks } from './join-chunks.ts';
export * from './upstream/index.ts';
