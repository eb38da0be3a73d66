import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exporterConformance } from '@svc/sdk/testing';
import { notedExporter } from '@svc/toolkit/testing';
import { describe, it } from 'vitest';
import { TilesExporter } from './tiles-exporter.ts';

const ENTRY = 2 + 'sha256:'.length + 64;

/** The entries of the widest form of each bundle. */
async function entriesIn(folder: string): Promise<string[]> {
  const entries = join(folder, 'tile', 'entries');
  const names = (await readdir(entries)).map((name) => name.slice(0, 3));
  const bundles = [...new Set(names)].sort().map(async (name) => {
    const widths = await readdir(join(entries, `${name}.p`)).catch(() => []);
    const widest = widths.map(Number).sort((a, b) => b - a)[0];
    return readFile(join(entries, name)).catch(() => readFile(join(entries, `${name}.p`, String(widest))));
  });
  const bytes = Buffer.concat(await Promise.all(bundles));
  return Array.from({ length: bytes.length / ENTRY }, (_, at) => bytes.toString('latin1', at * ENTRY + 2, (at + 1) * ENTRY));
}

describe('exporter conformance', () => {
  const cases = exporterConformance({
    open: async () => {
      const root = await mkdtemp(join(tmpdir(), 'svc-tiles-'));
      const folder = join(root, 'a', 'tiles');
      await mkdir(join(root, 'a'));
      const operations = `${folder}.operations`;
      // A folder of tiles has the hash of a record only.
      const bytes = new Map<string, string>();
      // The note of the suite is no checkpoint of its records.
      const make = () => {
        const exporter = notedExporter(new TilesExporter(folder, new TilesExporter(operations)), bytes);
        return { ...exporter, checkpoint: async () => undefined };
      };
      const received = async (path: string) => (await entriesIn(path)).map((hash) => bytes.get(hash) ?? '');
      return {
        make,
        received: () => received(folder),
        receivedOperations: () => received(operations),
        // Simulates a volume that is missing for a while.
        refuse: (refusing) => (refusing ? rename(join(root, 'a'), join(root, 'b')) : rename(join(root, 'b'), join(root, 'a'))),
        dispose: () => rm(root, { recursive: true, force: true }),
      };
    },
  });
  for (const { name, run } of cases) it(name, run);
});
