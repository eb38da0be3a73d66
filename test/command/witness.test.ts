import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  addCheckpointText,
  checkpointText,
  cosignaturesIn,
  leafHash,
  parseWitnessKey,
  signingKey,
  signNote,
  verifierKey,
} from '@svc/ledger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MAIN } from '../harness/gateway.ts';

const LOG = { name: 'example.org/gateway', key: signingKey(generateKeyPairSync('ed25519').privateKey) };
const requestFor = async (text: string) => {
  const checkpoint = await signNote(checkpointText({ origin: LOG.name, size: 1, root: leafHash(Buffer.from(text)) }), [LOG]);
  return { checkpoint, body: addCheckpointText({ old: 0, path: [], checkpoint }) };
};

let folder: string;
let running: ChildProcess | null = null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-witness-'));
});
afterEach(() => {
  running?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const argsOf = (): string[] => {
  const state = join(folder, 'state');
  return [MAIN, 'witness', state, '--name', 'witness.example', '--log', verifierKey(LOG), '--port', '0'];
};

async function start(): Promise<{ url: string; vkey: string; child: ChildProcess }> {
  const child = spawn(process.execPath, argsOf(), { stdio: ['ignore', 'pipe', 'inherit'] });
  running = child;
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, url, vkey } = JSON.parse(line);
    child.stdout.resume();
    if (event === 'witness_listening') return { url, vkey, child };
  }
  throw new Error('the witness ended');
}

it('cosigns, and after a kill has the same key and signs no fork of what it signed', { timeout: 60_000 }, async () => {
  const first = await start();
  const { checkpoint, body } = await requestFor('one');
  const answer = await fetch(`${first.url}/add-checkpoint`, { method: 'POST', body });
  expect(answer.status).toBe(200);
  expect(cosignaturesIn(checkpoint + (await answer.text()), [parseWitnessKey(first.vkey)])).toHaveLength(1);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  expect(statSync(join(folder, 'state', 'witness.key')).mode & 0o777).toBe(0o600);

  const second = await start();
  expect(second.vkey).toBe(first.vkey);
  const fork = await fetch(`${second.url}/add-checkpoint`, { method: 'POST', body: (await requestFor('two')).body });
  expect([fork.status, fork.headers.get('content-type'), await fork.text()]).toEqual([409, 'text/x.tlog.size', '1\n']);
  second.child.kill('SIGTERM');
  expect(await once(second.child, 'exit')).toEqual([0, null]);
});

it('is refused a folder that another witness uses', { timeout: 60_000 }, async () => {
  const first = await start();
  const { status, stderr } = spawnSync(process.execPath, argsOf(), { encoding: 'utf8', timeout: 30_000 });
  expect([status, stderr.trim().split('\n').length]).toEqual([1, 1]);
  expect(stderr).toContain(String(first.child.pid));
  expect((await fetch(`${first.url}/add-checkpoint`, { method: 'POST', body: (await requestFor('one')).body })).status).toBe(200);
});

it.each([
  [['witness', 'state', '--log', 'x', '--name', 'a']],
  [['witness', 'state', '--name', 'a']],
  [['witness', 'state', '--log', verifierKey(LOG)]],
  [['witness', 'state', '--log', verifierKey(LOG), '--name', 'a b']],
])('is misused: %j', async (args) => {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, stdio: 'ignore' });
  expect(await once(child, 'exit')).toEqual([2, null]);
});
