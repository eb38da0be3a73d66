// Installs the packages of package-lock.json: those that serving needs, and with `dev` also those of tests and checks.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './setup-npm.js';

/** Written after a complete installation and removed before each. Says what was installed. `npm ci` removes it too. */
const RECORD = '.svc-install.json';

/**
 * @returns null if all is installed. Otherwise `install`, and the folders by which its progress is seen
 */
export function modulesToInstall(root, dev) {
  const modules = join(root, 'node_modules');
  const record = join(modules, RECORD);
  const text = readFileSync(join(root, 'package-lock.json'));
  const lock = createHash('sha256').update(text).digest('hex');
  const last = recorded(record);
  if (last?.lock === lock && (last.dev || !dev)) return null;
  const include = dev || last?.dev === true;
  const install = async () => {
    rmSync(record, { force: true });
    // A server may run from this folder. So what a complete installation lacks is added, and nothing else changes. After an installation that broke
    // off, `npm ci` starts again.
    const command = last === undefined ? ['ci'] : ['install', '--no-save'];
    await npm([...command, '--include=optional', include ? '--include=dev' : '--omit=dev'], root);
    mkdirSync(modules, { recursive: true });
    writeFileSync(record, JSON.stringify({ lock, dev: include }));
  };
  return { folders: wanted(JSON.parse(text).packages, include).map((folder) => join(root, folder)), install };
}

function recorded(path) {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Folders of the packages that every platform gets. Links to workspaces are left out. */
function wanted(packages, dev) {
  return Object.entries(packages)
    .filter(([folder, { link }]) => folder.includes('node_modules/') && link !== true)
    .filter(([, one]) => (dev || one.dev !== true) && one.optional !== true)
    .map(([folder]) => folder);
}
