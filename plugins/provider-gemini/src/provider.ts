import type { PluginDeps, Provider } from '@svc/sdk';
import type { AnswerBody, AnswerFrame, RequestBody } from '@svc/sdk/protocol';
import { parseAnswer, UpstreamClient, type UpstreamTarget } from '@svc/toolkit/upstream';
import { embeddingBody, unsupportedIn, vectorsIn } from './embeddings.ts';
import { GeminiEvents } from './frames.ts';
import type { GeminiOptions } from './options.ts';

/** A provider for the Gemini API. Passes bodies on unconverted. The model is part of the path. */
export function geminiProvider(
  target: UpstreamTarget,
  options: GeminiOptions,
  deps: PluginDeps,
): Provider<RequestBody, AnswerBody, AnswerFrame> {
  const client = new UpstreamClient(target, options, deps);
  const pathOf = (model: string, method: string): string => `${target.path}/${pathIn(model)}:${method}`;
  return {
    protocols: ['google.gemini'],
    vendor: options.base_url,

    async complete({ model, ...body }, context) {
      const text = await client.whole(JSON.stringify(body), context, undefined, undefined, pathOf(model, 'generateContent'));
      return { completion: parseAnswer(text) as unknown as AnswerBody, unsupported: [] };
    },

    async stream({ model, ...body }, context) {
      const path = `${pathOf(model, 'streamGenerateContent')}?alt=sse`;
      return { chunks: await client.stream(JSON.stringify(body), context, new GeminiEvents(), undefined, path), unsupported: [] };
    },

    async embed(request, context) {
      const body = JSON.stringify(embeddingBody(request, nameOf(request.model)));
      const text = await client.whole(body, context, undefined, undefined, pathOf(request.model, 'batchEmbedContents'));
      return { embeddings: vectorsIn(text, request.input.length), usage: null, unsupported: unsupportedIn(request) };
    },

    close: () => client.close(),
  };
}

/** The path of a model. Tuned models have a path of their own. */
function nameOf(model: string): string {
  return model.includes('/') ? model : `models/${model}`;
}

function pathIn(model: string): string {
  return nameOf(model).split('/').map(encodeURIComponent).join('/');
}
