// Runs before `npm start` and `npm test`, on any Node >= 20, with nothing installed yet: imports Node's own modules only.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const modules = join(root, 'node_modules');

/** The Node that the lockfile pins for this platform, or the running one where there is none (macOS, musl). */
function pinnedNode() {
  const name = { linux: `node-linux-${process.arch}`, win32: `node-win-${process.arch}` }[process.platform];
  const binary = join(modules, name ?? '', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (name === undefined || !existsSync(binary)) return process.execPath;
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
  if (npm === undefined) run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
  else run(process.env.npm_node_execpath ?? process.execPath, [npm, ...args]);
}

/** npm 10 makes no link for the pinned Node; without it every script would silently run on the machine's own. */
function linkNode(node) {
  const bin = join(modules, '.bin');
  const link = join(bin, 'node');
  if (process.platform === 'win32' || node === process.execPath) return;
  mkdirSync(bin, { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(node, link);
}

const lock = join(root, 'package-lock.json');
const installed = join(modules, '.package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  console.error('svc: installing dependencies (first time, or the lockfile changed)');
  npmCi();
}
const node = pinnedNode();
linkNode(node);
run(node, [join(root, 'scripts', 'build.js')]);
