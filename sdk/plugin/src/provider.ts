/** More exports for providers: tool calls, embeddings, and providers with a protocol of their own. */
export type {
  AnyProvider,
  ChatChunkChoice,
  EmbeddingRequest,
  ProviderEmbeddings,
  ProviderErrorKind,
  ToolCall,
  ToolCallDelta,
} from '@svc/contracts';
