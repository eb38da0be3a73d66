import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('the entry for browsers needs neither Node nor a schema library', async () => {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL('./chain.ts', import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'browser',
    conditions: ['@svc/source', 'browser'],
    outdir: 'unwritten',
    // Browsers have no Node modules. They are marked as external: otherwise esbuild would stop at the first one without naming the file that imports
    // it.
    external: ['node:*'],
  });
  const inputs = Object.entries(metafile.inputs);
  const nodes = inputs.flatMap(([file, { imports }]) => imports.flatMap(({ path }) => (path.startsWith('node:') ? [file] : [])));
  expect(nodes).toEqual([]);
  const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  expect(bundled).toContainEqual(expect.stringContaining('digest/browser.ts'));
  expect(bundled).not.toContainEqual(expect.stringContaining('typebox'));
});
