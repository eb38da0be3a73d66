import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embedderConformance } from '@svc/sdk/testing';
import { describe, it } from 'vitest';
import { LocalEmbedder } from './local-embedder.ts';

describe.each([true, false])('embedder conformance, with a folder: %s', (withFolder) => {
  const cases = embedderConformance({
    open: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'svc-embedder-'));
      return {
        make: () => new LocalEmbedder(256),
        folder: withFolder ? join(folder, 'made', 'by', 'open') : null,
        dispose: () => rm(folder, { recursive: true, force: true }),
      };
    },
  });
  for (const { name, run } of cases) it(name, run);
});
