import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeLogger, vectorsConformance } from '@svc/sdk/testing';
import { describe, it } from 'vitest';
import { LocalVectors } from './local-vectors.ts';

describe('vectors conformance', () => {
  const cases = vectorsConformance({
    open: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'svc-vectors-'));
      return {
        make: () => new LocalVectors(fakeLogger()),
        folder: join(folder, 'made', 'by', 'open'),
        dispose: () => rm(folder, { recursive: true, force: true }),
      };
    },
  });
  for (const { name, run } of cases) it(name, run);
});
