import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ignoredBy } from '../harness/dockerfile.ts';
import { asGroup, killGroup } from '../harness/process-group.ts';

const ROOT = join(import.meta.dirname, '..', '..');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-deploy-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A user who may not write everywhere. */
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Runs a command until it says that it listens, then ends it as a service manager would. */
async function servesAndStops(command: string, args: readonly string[], user: typeof USER = {}): Promise<void> {
  const child = asGroup(spawn(command, args, { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'], ...user }));
  onTestFinished(() => killGroup(child));
  const exit = once(child, 'exit');
  const lines: string[] = [];
  child.stderr.on('data', (data: Buffer) => lines.push(data.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('"event":"listening"')) child.kill('SIGTERM');
  }
  expect((await exit)[0], lines.join('\n')).toBe(0);
  expect(lines.join('\n')).toContain('"event":"listening"');
}

it('files that a server creates beside its configuration are neither in an image nor in the repository', async () => {
  const isIgnored = ignoredBy(await readFile(join(ROOT, '.dockerignore'), 'utf8'));
  const made = [
    'svc.yaml',
    'svc.schema.json',
    'svc.key',
    'approver.key',
    'content.key',
    'content.key.parts',
    'ledger.key',
    'runs-db',
    'runs-db.key',
    'runs-db.rag',
  ];
  expect(made.filter((name) => !isIgnored(name))).toEqual([]);
  const { stdout } = spawnSync(
    'git',
    ['check-ignore', '--no-index', ...made.map((name) => name.replace(/(-db|\.rag|\.parts)$/, '$1/'))],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  expect(stdout.trim().split('\n')).toHaveLength(made.length);
});

const main = join(ROOT, 'host', 'dist', 'main.js');
/** As both files say it. */
const KEY_FILE = 'store: { content_key_file: /var/lib/svc-keys/content.key }';

/** Where a service manager lets a service read and write: /etc/svc may be read, what belongs to it in /var/lib is its own. */
async function machine(name: string): Promise<{ etc: string; lib: string; keys: string }> {
  const home = join(folder, name);
  const [etc, lib, keys] = [join(home, 'etc'), join(home, 'svc'), join(home, 'svc-keys')];
  await chmod(folder, 0o755);
  for (const made of [etc, lib, keys]) await mkdir(made, { recursive: true });
  for (const own of [lib, keys]) if (USER.uid !== undefined) await chown(own, USER.uid, USER.gid);
  expect(spawnSync(process.execPath, [main, 'init', '--config', join(etc, 'svc.yaml')]).status).toBe(0);
  await chmod(etc, 0o555);
  onTestFinished(() => chmod(etc, 0o755));
  return { etc, lib, keys };
}

async function unitArgs(etc: string, runs_db: string): Promise<string[]> {
  const unit = await readFile(join(ROOT, 'deploy', 'svc.service'), 'utf8');
  const command = /^ExecStart=\/usr\/local\/bin\/svc (.*)$/m.exec(unit)?.[1] ?? '';
  const args = command
    .replace('/etc/svc', etc)
    .replace('0.0.0.0', '127.0.0.1')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of systemd
    .replace('${SVC_RUNS_DB}', runs_db);
  return [main, ...args.split(' '), '--port', '0'];
}

it('svc.service: its command serves with a read-only configuration and the key file that the unit names', async () => {
  const { etc, lib, keys } = await machine('unit');
  const args = await unitArgs(etc, join(lib, 'runs-db'));
  const refused = spawnSync(process.execPath, args, { encoding: 'utf8', ...USER });
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('store.content_key_file') });
  for (const file of ['svc.service', 'Dockerfile']) {
    expect(await readFile(join(ROOT, 'deploy', file), 'utf8')).toContain(KEY_FILE);
  }
  await appendFile(join(etc, 'svc.yaml'), `${KEY_FILE.replace('/var/lib/svc-keys', keys)}\n`);
  await servesAndStops(process.execPath, args, USER);
  const kept = ['content.key', 'runs-db.checkpoint', 'runs-db.checkpoint.operations', 'runs-db.key'];
  expect((await readdir(keys)).sort()).toEqual(kept);
  // What is backed up.
  expect(await readdir(lib)).toEqual(['runs-db']);
  expect((await readdir(etc)).sort()).toEqual(['approver.key', 'svc.key', 'svc.schema.json', 'svc.yaml']);
});
