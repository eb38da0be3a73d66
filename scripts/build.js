// Bundles each package's entry points with esbuild; types come from `tsc -b`, which `npm run check` runs.
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildPages } from './build-pages.js';

const root = join(import.meta.dirname, '..');
const packages = [...['kernel', 'sdk', 'plugins'].flatMap(foldersIn), 'host'];

function foldersIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`);
}

/**
 * Bundled, while every other package stays what npm installed: typebox is hundreds of files, of which each package needs a small part. What
 * that saves a start stands in docs/decisions/0034-typebox-in-the-bundles.md.
 */
const BUNDLED = /^typebox(\/|$)/;
/** What an author installs has typebox beside it, and no server loads the part that uses it. */
const bundlesTypebox = (name) => name !== 'sdk/plugin';
const dependenciesOf = (name) => ({
  name: 'dependencies',
  setup(building) {
    building.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || (BUNDLED.test(path) && bundlesTypebox(name)) ? undefined : { path, external: true },
    );
  },
});

/** Source files that package.json names: exports, imports (worker files) and bin. */
function entryPoints(directory) {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const targets = [
    ...Object.values(manifest.exports ?? {}),
    ...Object.values(manifest.imports ?? {}),
    ...Object.values(manifest.bin ?? {}),
  ];
  return targets
    .map((target) => (typeof target === 'string' ? target : target.default))
    .filter((path) => path.startsWith('./dist/') && path.endsWith('.js'))
    .map((path) => join(directory, path.replace('./dist/', './src/').replace(/\.js$/, '.ts')));
}

for (const name of packages) {
  const directory = join(root, name);
  if (!existsSync(join(directory, 'package.json'))) continue;
  const outdir = join(directory, 'dist');
  for (const file of existsSync(outdir) ? readdirSync(outdir, { recursive: true }) : []) {
    if (/\.js(\.map)?$/.test(file)) rmSync(join(outdir, file), { force: true });
  }
  await build({
    entryPoints: entryPoints(directory),
    outdir,
    outbase: join(directory, 'src'),
    bundle: true,
    splitting: true,
    plugins: [dependenciesOf(name)],
    platform: 'node',
    format: 'esm',
    target: 'node22.12',
    sourcemap: true,
    logLevel: 'warning',
  });
}

// Each package goes with its licence, and what is bundled with its own.
for (const name of packages) {
  const dist = join(root, name, 'dist');
  if (existsSync(dist)) copyFileSync(join(root, 'LICENSE'), join(root, name, 'LICENSE'));
  if (existsSync(dist) && bundlesTypebox(name))
    copyFileSync(join(root, 'node_modules', 'typebox', 'license'), join(dist, 'LICENSE-typebox'));
}

// The catalogue of known plugin packages travels with the host.
copyFileSync(join(root, 'plugin-registry.json'), join(root, 'host', 'dist', 'plugin-registry.json'));
// So does the description of the API, which the server serves.
copyFileSync(join(root, 'openapi.json'), join(root, 'host', 'dist', 'openapi.json'));
await buildPages(join(root, 'host'));
