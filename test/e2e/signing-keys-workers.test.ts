import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { verifyLedger } from '../harness/verify-ledger.ts';
import { WorkerConnection } from '../harness/worker-connection.ts';

const WORKERS = 2;
const KEYS = '/v1/audit/ledger/keys';
const newPem = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

let gateway: TestGateway;
let workers: readonly WorkerConnection[] = [];
beforeAll(async () => {
  gateway = await TestGateway.start({
    config: echoConfig({ server: { workers: WORKERS }, ledger: { signing_keys: ['secret://file/ledger.key#pem'] } }),
    principals: [{ principal_id: 'alice' }],
    files: { 'ledger.key': newPem(), 'new.key': newPem() },
  });
  workers = await WorkerConnection.toEach(gateway, WORKERS);
});
afterAll(async () => {
  for (const worker of workers) worker.close();
  await gateway.stop();
  await gateway.allEnded();
  await gateway.dispose();
});

const keysOfEach = async (): Promise<string[]> =>
  Promise.all(workers.map(async (worker) => (await worker.request('GET', KEYS)).body.verifier_keys.join(' ')));
const checkpoint = async () => (await gateway.get('/v1/audit/ledger/checkpoint')).text;

/** Sends SIGHUP, and waits until each worker has other keys. */
async function reloaded(): Promise<readonly string[]> {
  const before = await keysOfEach();
  process.kill(gateway.pid, 'SIGHUP');
  await until(async () => (await keysOfEach()).every((keys, index) => keys !== before[index]));
  return keysOfEach();
}

it('another signing key takes over in every worker after SIGHUP, whether its reference or the file behind it is another one', async () => {
  const kept = [await checkpoint()];
  const [old = ''] = await keysOfEach();
  const text = JSON.parse(await readFile(join(gateway.folder, 'svc.yaml'), 'utf8'));
  const names = ['new.key', 'ledger.key'];
  await gateway.configure({ ...text, ledger: { signing_keys: names.map((name) => `secret://file/${name}#pem`) } });
  const both = await reloaded();
  expect(new Set(both).size).toBe(1);
  expect(both[0]?.split(' ')[1]).toBe(old);
  await gateway.chat('hello');
  kept.push(await checkpoint());
  // The same configuration, with another key in the file.
  await writeFile(join(gateway.folder, 'new.key'), newPem());
  const third = await reloaded();
  expect(new Set(third).size).toBe(1);
  await gateway.chat('hello');
  kept.push(await checkpoint());
  const keys = [...new Set([...both, ...third].flatMap((list) => list.split(' ')))];
  expect(keys).toHaveLength(3);
  expect(await verifyLedger(gateway, { checkpoints: kept, keys })).toMatchObject({ code: 0 });
  // One process reports each change.
  const changes = gateway.output.split('\n').filter((line) => line.includes('"event":"ledger_key_changed"'));
  expect(changes).toHaveLength(2);
});
