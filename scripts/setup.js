// Runs before `npm start`, `npm run check` and others, on any Node from 20 on. Nothing is installed yet, so it imports only Node's own modules.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const modules = join(root, 'node_modules');

/** The Node that the lockfile pins for this platform; the running one if there is none (macOS, musl). */
function pinnedNode() {
  const binary = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (!existsSync(binary)) return process.execPath;
  return spawnSync(binary, ['--version']).status === 0 ? binary : process.execPath;
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (error) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function npmCi() {
  const args = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--engine-strict=false',
    '--loglevel=error',
    '--no-audit',
    '--no-fund',
  ];
  const npm = process.env.npm_execpath;
  if (npm === undefined) run('npm', args);
  else run(process.env.npm_node_execpath ?? process.execPath, [npm, ...args]);
}

/**
 * Links commands that npm scripts and `npx` must find. npm 10 does not link the pinned Node, so every script would silently use the machine's Node.
 * It does not link `svc` either, which is not built yet when npm installs.
 */
function linkCommand(name, target) {
  const link = join(modules, '.bin', name);
  if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(link) === target) return;
  rmSync(link, { force: true });
  symlinkSync(target, link);
}

/** If no Node is pinned for this platform, the running one must be new enough. */
function refuseOldNode(node) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (node !== process.execPath || major > 22 || (major === 22 && minor >= 19)) return;
  console.error(
    `svc: Node ${process.versions.node} is too old on this platform, install 22 (22.19 or newer), or 26.12.1 or newer`,
  );
  process.exit(1);
}

const lock = join(root, 'package-lock.json');
const installed = join(modules, '.package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  console.error('svc: installing dependencies (first time, or the lockfile changed)');
  npmCi();
}
const node = pinnedNode();
refuseOldNode(node);
if (node !== process.execPath) linkCommand('node', node);
run(node, [join(root, 'scripts', 'build.js')]);
linkCommand('svc', join(root, 'host', 'dist', 'main.js'));
