import { embedderConformance, fakePluginDeps, startUpstream } from '@svc/sdk/testing';
import { describe, it } from 'vitest';
import { embeddings, optionsFor } from './embeddings-server.ts';
import openai from './index.ts';

describe.each([true, false])('embedder conformance, vectors as base64: %s', (base64) => {
  const cases = embedderConformance({
    open: async () => {
      const upstream = await startUpstream(embeddings({ base64 }));
      const options = optionsFor({ base_url: upstream.url });
      return { make: () => openai.create(options, fakePluginDeps()), folder: null, dispose: () => upstream.close() };
    },
  });
  for (const { name, run } of cases) it(name, run);
});
