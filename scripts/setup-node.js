// Finds a supported Node: the one that runs this script, or the one that scripts/node pins for this platform.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './setup-npm.js';

/** Whether a version of Node is in a range as in `engines`: parts `^A.B` or `>=A.B.C`, separated by `||`. */
export function isInRange(version, range) {
  return range.split('||').some((part) => {
    const [, operator, from = ''] = /^(\^|>=)([\d.]+)$/.exec(part.trim()) ?? [];
    const [found, lowest] = [numbers(version), numbers(from)];
    const differs = found.findIndex((number, i) => number !== (lowest[i] ?? 0));
    const isHigher = differs < 0 || found[differs] > (lowest[differs] ?? 0);
    return operator !== undefined && isHigher && (operator === '>=' || found[0] === lowest[0]);
  });
}

const numbers = (version) => version.split('.').map((part) => Number.parseInt(part, 10));

const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * A clone that has installed a Node keeps using it, because npm scripts find it first. So it is also the one that is updated.
 * @returns what the clone needs: a supported Node, or `install`, which must run first. Null if there is no Node for this platform.
 */
export function supportedNode(root) {
  const folder = join(root, 'scripts', 'node');
  const name = `node-${process.platform}-${process.arch}`;
  const pinned = manifestIn(folder).optionalDependencies[name];
  const home = join(folder, 'node_modules', name);
  const own = join(home, 'bin', 'node');
  // Releases before this one had their Node among the packages, and installing these removes it.
  const remains = !process.execPath.startsWith(join(root, 'node_modules'));
  const isSupported = remains && isInRange(process.versions.node, manifestIn(root).engines.node);
  if (isSupported && !existsSync(own)) return { node: process.execPath };
  if (pinned === undefined) return null;
  if (versionOf(own) === `v${pinned}`) return { node: own };
  const install = async () => {
    await npm(['ci', '--include=optional'], folder);
    // Half of the package: headers for compilers.
    rmSync(join(home, 'include'), { recursive: true, force: true });
    // A build for glibc does not run on musl.
    return versionOf(own) === `v${pinned}`;
  };
  return { node: own, install };
}

const versionOf = (binary) =>
  existsSync(binary) ? spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout?.trim() : undefined;
