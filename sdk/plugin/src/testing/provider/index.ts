/** Behaviours of a server of Anthropic's Messages API, for {@link startUpstream}. Those of an OpenAI-compatible server are in `behaviours`. */
export * as anthropic from './anthropic/index.ts';
export { providerConformance } from './conformance.ts';
/** Behaviours of a server of Google's Gemini API. */
export * as gemini from './gemini/index.ts';
export { joinChunks } from './join-chunks.ts';
/** Behaviours of a server of OpenAI's Responses API. */
export * as responses from './responses/index.ts';
export * from './upstream/index.ts';
