/** More for providers: tool calls, embeddings, and providers that take bodies in a protocol of their own. */
export type {
  AnyProvider,
  ChatChunkChoice,
  EmbeddingRequest,
  ProviderEmbeddings,
  ProviderErrorKind,
  ToolCall,
  ToolCallDelta,
} from '@svc/contracts';
