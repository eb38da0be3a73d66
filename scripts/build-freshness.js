// Whether the last build is still current.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { placeFiles } from './build-place.js';

const OTHERS = ['openapi.json', 'plugin-registry.json', 'LICENSE', 'node_modules/.package-lock.json'];
/** A generated file among the sources. */
const MADE = 'sdk/client/src/openapi.ts';
const RECORD = 'node_modules/.svc-build.json';

/** Digest of the names, sizes and times of all source files that a build reads. */
export function sourcesDigest(root, packages) {
  const paths = [
    ...packages.flatMap((name) => [`${name}/package.json`, ...filesIn(root, `${name}/src`), ...filesIn(root, `${name}/pages`)]),
    ...filesIn(root, 'sdk/python/src/svc_client/_async'),
    ...filesIn(root, 'scripts').filter((path) => path.startsWith('scripts/build')),
    ...OTHERS,
  ];
  const hash = createHash('sha256');
  for (const path of paths.filter((path) => path !== MADE).sort()) {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function filesIn(root, folder) {
  const path = join(root, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

/** Whether the last build read the same sources, and all its files still exist. */
export function isFresh(root, digest) {
  try {
    const last = JSON.parse(readFileSync(join(root, RECORD), 'utf8'));
    return last.digest === digest && last.files.every((path) => existsSync(join(root, path)));
  } catch {
    return false;
  }
}

export function recordBuild(root, digest, files) {
  placeFiles(root, [{ path: RECORD, contents: JSON.stringify({ digest, files }) }]);
}
