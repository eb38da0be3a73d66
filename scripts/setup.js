// Installs and builds. Runs before `npm start`, `npm run check` and others, on any Node from 20 on. Nothing is installed yet, so it imports only
// Node's own modules. Installs what serving needs; `--include=dev` adds what tests and checks need.
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { modulesToInstall } from './setup-modules.js';
import { supportedNode } from './setup-node.js';
import { withProgress } from './setup-progress.js';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');

function fail(message) {
  console.error(`svc: ${message}`);
  process.exit(1);
}

/**
 * Links commands that npm scripts and `npx` must find: Node, which is not among the packages, and `svc`, which is not built yet when npm installs.
 */
function linkCommand(name, target) {
  const folder = join(root, 'node_modules', '.bin');
  const link = join(folder, name);
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(link) === target) return;
  mkdirSync(folder, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(target, link);
}

const needsNode = () => fail(`Node ${process.versions.node} is not supported: install 22 (22.19 or newer), or 26.12.1 or newer`);

const node = supportedNode(root) ?? needsNode();
const dev = process.argv.includes('--include=dev');
const modules = modulesToInstall(root, dev);
if (modules !== null || node.install !== undefined) {
  const what = [modules && `packages for ${dev ? 'tests and checks' : 'serving'}`, node.install && 'Node']
    .filter(Boolean)
    .join(' and ');
  await withProgress(`installing ${what}`, modules?.folders ?? [], async () => {
    const ended = await Promise.allSettled([node.install?.(), modules?.install()]);
    for (const { reason } of ended) if (reason !== undefined) throw reason;
    if (ended[0].value === false) needsNode();
  }).catch((error) => fail(error.message));
}
if (node.node !== process.execPath) linkCommand('node', node.node);
const { status, error } = spawnSync(node.node, [join(root, 'scripts', 'build.js')], { cwd: root, stdio: 'inherit' });
if (status !== 0) fail(`the build failed${error ? `: ${error.message}` : ''}`);
linkCommand('svc', join(root, 'host', 'dist', 'main.js'));
