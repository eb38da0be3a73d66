/** For authors of vector stores and embedders. */
export {
  type Embedder,
  type FoundDocument,
  NAMESPACE_PATTERN,
  type NewVector,
  type PluginDefinition,
  type RagDocument,
  type Vectors,
} from '@svc/contracts';
export { defineEmbedder, defineVectors } from './define.ts';
