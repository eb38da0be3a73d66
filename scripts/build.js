// Bundles each package's entry points with esbuild. Types come from `tsc -b`, which `npm run check` runs. A running server loads parts of `dist`
// later, so a build replaces its files one by one. It does nothing if no source has changed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { isFresh, recordBuild, sourcesDigest } from './build-freshness.js';
import { pages } from './build-pages.js';
import { placeFiles, removeOutdated } from './build-place.js';
import { verifier } from './build-verifier.js';

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
 * The only bundled dependency. typebox has hundreds of files, and each package needs few of them. docs/decisions/0034-typebox-in-the-bundles.md says
 * how much time this saves at a start.
 */
const BUNDLED = /^typebox(\/|$)/;
/** Plugin authors install typebox with the SDK, and no server loads the part of the SDK that uses it. */
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
  return outputFiles.map(({ path, contents, text }) => ({
    path: relative(root, path),
    contents: path.endsWith('.map') ? withoutDependencies(JSON.parse(text)) : contents,
  }));
}

/** A source map that names the files of the bundled dependency, but does not contain them. */
function withoutDependencies({ sources, sourcesContent, ...map }) {
  const own = sourcesContent.map((content, index) => (sources[index].includes('node_modules/') ? null : content));
  return JSON.stringify({ ...map, sources, sourcesContent: own });
}

/** Files named by their content, which the files with fixed names import. */
const isNamedByContent = ({ path }) => /-[A-Z0-9]{8}\.js(\.map)?$/.test(path);

const copyOf = (source, path) => ({ path, contents: readFileSync(join(root, source)) });

/** JSON without the indentation that people need in the repository, and clients do not. */
const compact = (source) => JSON.stringify(JSON.parse(readFileSync(join(root, source), 'utf8')));

/** Each package gets its licence and that of the bundled dependency. */
function licences(name) {
  const bundled = bundlesTypebox(name) ? [copyOf('node_modules/typebox/license', `${name}/dist/LICENSE-typebox`)] : [];
  return [copyOf('LICENSE', `${name}/LICENSE`), ...bundled];
}

/** Imported only for a build, because Node must first load the loader that strips types. */
const clients = async () => (await import('./build-clients.ts')).clients(root);

const digest = sourcesDigest(root, packages);
if (!isFresh(root, digest)) {
  const files = [
    ...(await Promise.all([clients(), ...packages.map(bundle)])).flat(),
    ...packages.flatMap(licences),
    // A page of the host contains Swagger UI.
    ...['LICENSE', 'NOTICE', 'swagger-ui-es-bundle.js.LICENSE.txt'].map((name) =>
      copyOf(`node_modules/swagger-ui-dist/${name}`, `host/dist/licence-swagger-ui/${name}`),
    ),
    // The host ships the catalogue of known plugin packages and the description of the API.
    copyOf('plugin-registry.json', 'host/dist/plugin-registry.json'),
    { path: 'host/dist/openapi.json', contents: compact('openapi.json') },
    ...(await pages(root)),
    await verifier(root),
  ];
  placeFiles(root, [...files.filter(isNamedByContent), ...files.filter((file) => !isNamedByContent(file))]);
  const paths = files.map(({ path }) => path);
  for (const name of packages) removeOutdated(join(root, name, 'dist'), new Set(paths.map((path) => join(root, path))));
  recordBuild(root, digest, paths);
}
