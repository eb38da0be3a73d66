// Bundles each package's entry points with esbuild; types come from `tsc -b`, which `npm run check` runs. A running server loads from `dist`
// what it needs later, so a build is made aside and put in place file by file; and nothing is done where no source changed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { isFresh, recordBuild, sourcesDigest } from './build-freshness.js';
import { pages } from './build-pages.js';
import { placeFiles, removeOutdated } from './build-place.js';

const root = join(import.meta.dirname, '..');
const packages = [...['kernel', 'sdk', 'plugins'].flatMap(foldersIn), 'host'].filter((name) =>
  existsSync(join(root, name, 'package.json')),
);

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
    .flatMap((target) => (typeof target === 'string' ? target : Object.values(target)))
    .filter((path) => typeof path === 'string' && path.startsWith('./dist/') && path.endsWith('.js'))
    .map((path) => join(directory, path.replace('./dist/', './src/').replace(/\.js$/, '.ts')));
}

async function bundle(name) {
  const directory = join(root, name);
  const { outputFiles } = await build({
    entryPoints: entryPoints(directory),
    outdir: join(directory, 'dist'),
    outbase: join(directory, 'src'),
    bundle: true,
    write: false,
    splitting: true,
    plugins: [dependenciesOf(name)],
    platform: 'node',
    format: 'esm',
    target: 'node22.12',
    sourcemap: true,
    logLevel: 'warning',
  });
  return outputFiles.map(({ path, contents }) => ({ path: relative(root, path), contents }));
}

/** What esbuild names by its content is imported by files that keep their names. */
const isNamedByContent = ({ path }) => /-[A-Z0-9]{8}\.js(\.map)?$/.test(path);

const copyOf = (source, path) => ({ path, contents: readFileSync(join(root, source)) });

/** Each package goes with its licence, and what is bundled with its own. */
function licences(name) {
  const bundled = bundlesTypebox(name) ? [copyOf('node_modules/typebox/license', `${name}/dist/LICENSE-typebox`)] : [];
  return [copyOf('LICENSE', `${name}/LICENSE`), ...bundled];
}

/** Loaded only for a build: Node first has to load what strips its types. */
const clients = async () => (await import('./build-clients.ts')).clients(root);

const digest = sourcesDigest(root, packages);
if (!isFresh(root, digest)) {
  const files = [
    ...(await Promise.all([clients(), ...packages.map(bundle)])).flat(),
    ...packages.flatMap(licences),
    // The catalogue of known plugin packages and the description of the API travel with the host.
    copyOf('plugin-registry.json', 'host/dist/plugin-registry.json'),
    copyOf('openapi.json', 'host/dist/openapi.json'),
    ...(await pages(root)),
  ];
  placeFiles(root, [...files.filter(isNamedByContent), ...files.filter((file) => !isNamedByContent(file))]);
  const paths = files.map(({ path }) => path);
  for (const name of packages) removeOutdated(join(root, name, 'dist'), new Set(paths.map((path) => join(root, path))));
  recordBuild(root, digest, paths);
}
