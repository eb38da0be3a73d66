import { defineEmbedder } from '@svc/sdk/vectors';
import { OpenAiEmbedder } from './openai-embedder.ts';
import { OpenAiOptions } from './options.ts';

/** Embedder: any server with OpenAI's embeddings API. See README.md. */
export default defineEmbedder({
  type: 'openai',
  options: OpenAiOptions,
  create: (options, deps) => new OpenAiEmbedder(options, deps),
});
