import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { signingKey, verifierKey } from '@svc/ledger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

const [DONE, REFUSED, MISUSED, BROKEN] = [0, 1, 2, 4];
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await TestGateway.start({ config: echoConfig(), here: true });
});
afterEach(() => gateway.dispose());

async function tiles(...args: string[]): Promise<{ code: number | null; said: string; errors: string }> {
  const env = { ...process.env, SVC_KEY: gateway.key('alice') };
  const child = spawn(process.execPath, [MAIN, 'ledger', 'tiles', 'tiles', '--json', ...args], { cwd: gateway.folder, env });
  const [said, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, said, errors };
}

it('continues a folder from a server or a stopped runs-db, and refuses an older copy of the ledger', {
  timeout: 120_000,
}, async () => {
  const server = ['--server', gateway.url];
  await gateway.chat('hello');
  const { verifier_keys } = (await gateway.get('/v1/audit/ledger/keys')).body;
  const first = await tiles(...server, '--key', verifier_keys[0]);
  const { records } = JSON.parse(first.said);
  expect([first.code, JSON.parse(first.said)]).toEqual([DONE, expect.objectContaining({ added: records, folder: 'tiles' })]);
  const stranger = { name: 'stranger.example', key: signingKey(generateKeyPairSync('ed25519').privateKey) };
  expect((await tiles(...server, '--key', verifierKey(stranger))).code).toBe(REFUSED);
  expect((await tiles(...server, '--runs-db', 'runs-db')).code).toBe(MISUSED);

  const db = join(gateway.folder, 'runs-db');
  await gateway.stop();
  await cp(db, join(gateway.folder, 'older'), { recursive: true });
  await gateway.launch();
  for (let runs = 0; runs < 5; runs++) await gateway.chat('hello');
  await gateway.stop();
  const second = await tiles('--runs-db', 'runs-db');
  expect([second.code, second.errors]).toEqual([DONE, '']);
  expect(JSON.parse(second.said)).toMatchObject({ added: JSON.parse(second.said).records - records });
  expect(JSON.parse((await tiles('--runs-db', 'runs-db')).said)).toMatchObject({ added: 0 });
  expect((await tiles('--runs-db', 'older')).code).toBe(BROKEN);

  const changed = join(gateway.folder, 'tiles', 'checkpoint');
  await writeFile(changed, (await readFile(changed, 'utf8')).replace(/^[^\n]+\n/, 'example.org/other\n'));
  expect((await tiles('--runs-db', 'runs-db')).code).toBe(BROKEN);
  await rm(join(gateway.folder, 'tiles'), { recursive: true });
});
