export { asProviderError } from './as-provider-error.ts';
export { EmbeddingCall } from './embedding-call.ts';
export { estimatedTokens, MAX_COUNTED, type TokenCounter } from './usage.ts';
