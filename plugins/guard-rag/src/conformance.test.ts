import { guardConformance } from '@svc/sdk/testing';
import { describe, it } from 'vitest';
import rag from './index.ts';

const document = { id: 'a'.repeat(64), text: 'A passage that was found.', metadata: {} };

describe.each([
  ['documents are found', [{ document, score: 0.5 }]],
  ['none is found', []],
])('guard conformance where %s', (_what, found) => {
  const options = { namespace: 'docs', k: 4, min_score: 0, filter: {}, max_characters: 1000 };
  const cases = guardConformance({
    guard: (deps) => rag.create(options, { ...deps, openNamespace: () => ({ retrieve: async () => found }) }),
    samples: [],
  });
  for (const { name, run } of cases) it(name, run);
});
