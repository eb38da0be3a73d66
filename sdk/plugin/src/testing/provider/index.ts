/** How a server of Anthropic's Messages API behaves; for {@link startUpstream}, beside the `behaviours` of an OpenAI-compatible one. */
export * as anthropic from './anthropic/index.ts';
export { providerConformance } from './conformance.ts';
export { joinChunks } from './join-chunks.ts';
export * from './upstream/index.ts';
