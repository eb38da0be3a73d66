import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { exporterConformance, fakePluginDeps } from '@svc/sdk/testing';
import exporter from './index.ts';

describe('conformance', () => {
  const cases = exporterConformance({
    open: async () => {
      const root = await mkdtemp(join(tmpdir(), 'exporter-'));
      const folder = join(root, 'records');
      await mkdir(folder);
      return {
        make: () => exporter.create({ path: 'records/all.jsonl' }, fakePluginDeps({ directory: root })),
        received: async () => (await readFile(join(folder, 'all.jsonl'), 'utf8')).split('\n').slice(0, -1),
        // A disk that is temporarily unavailable.
        refuse: (refusing) => (refusing ? rename(folder, `${folder}.away`) : rename(`${folder}.away`, folder)),
        dispose: () => rm(root, { recursive: true, force: true }),
      };
    },
  });
  for (const { name, run } of cases) it(name, run);
});
