import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exporterConformance } from '@svc/sdk/testing';
import { describe, it } from 'vitest';
import { JsonlExporter } from './jsonl-exporter.ts';

const linesOf = async (path: string) => (await readFile(path, 'utf8')).split('\n').slice(0, -1);

describe('exporter conformance', () => {
  const cases = exporterConformance({
    open: async () => {
      const root = await mkdtemp(join(tmpdir(), 'svc-jsonl-'));
      const folder = join(root, 'evidence');
      await mkdir(folder);
      const path = join(folder, 'evidence.jsonl');
      const operations = `${path}.operations`;
      return {
        make: () => new JsonlExporter(path, new JsonlExporter(operations)),
        received: () => linesOf(path),
        receivedOperations: () => linesOf(operations),
        // Simulates a volume that is missing for a while.
        refuse: (refusing) => (refusing ? rename(folder, `${folder}.away`) : rename(`${folder}.away`, folder)),
        dispose: () => rm(root, { recursive: true, force: true }),
      };
    },
  });
  for (const { name, run } of cases) it(name, run);
});
