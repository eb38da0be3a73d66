export { type ProviderConformanceOptions, providerConformance } from './conformance.ts';
export { joinChunks } from './join-chunks.ts';
export * from './upstream/index.ts';
