import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cosignaturesIn,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  parseWitnessKey,
  type Signer,
  type Verifier,
  verifierKey,
  witnessKey,
} from '@svc/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../host/src/telemetry/log/logger.ts';
import { Cosigner } from '../../host/src/witness/cosigner.ts';
import { witnessServer } from '../../host/src/witness/witness-server.ts';
import { originHash, WitnessState } from '../../host/src/witness/witness-state.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const ORIGIN = 'example.org/gateway';
const CHECKPOINT = '/v1/audit/ledger/checkpoint';
/** Checkpoints are signed every ten seconds. */
const LONG = 60_000;
const signer = (name: string): Signer => ({ name, privateKey: generateKeyPairSync('ed25519').privateKey });
const [one, two, gone] = [signer('one.example'), signer('two.example'), signer('gone.example')];

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('witnesses', { timeout: LONG }, () => {
  let folder: string;
  let gateway: TestGateway;
  const servers: Server[] = [];
  /** Of the log. They are known only when the gateway has started. */
  const logs: Verifier[] = [];
  const witnesses: { url: string; vkey: string }[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-witnesses-'));
    for (const of of [one, two]) {
      const state = await WitnessState.open(join(folder, of.name));
      const server = witnessServer({ cosigner: new Cosigner(of, logs, state), state, origins: [ORIGIN], logger: silentLogger });
      servers.push(server);
      witnesses.push({ url: await listening(server), vkey: witnessKey(of) });
    }
    const failing = createServer((_, response) => response.writeHead(500).end('no'));
    servers.push(failing);
    witnesses.push({ url: await listening(failing), vkey: witnessKey(gone) });
    const names = witnesses.map(({ vkey }, at) => `witness w${at} ${vkey}`);
    writeFileSync(join(folder, 'policy.txt'), `${names.join('\n')}\ngroup two 2 w0 w1 w2\nquorum two\n`);
    gateway = await TestGateway.start({
      here: true,
      config: echoConfig({ ledger: { origin: ORIGIN, witnesses, witness_policy: join(folder, 'policy.txt') } }),
    });
    logs.push(...(await gateway.get('/v1/audit/ledger/keys')).body.verifier_keys.map(parseVerifierKey));
    await gateway.chat('hello');
  });
  afterAll(async () => {
    await gateway?.dispose();
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const cosigners = (note: string) =>
    cosignaturesIn(
      note,
      witnesses.map(({ vkey }) => parseWitnessKey(vkey)),
    ).map(({ witness }) => witness.name);
  const quorum = async () => (await gateway.get(`${CHECKPOINT}?cosigned=true`)) as { status: number; text: string };

  it('cosign the checkpoint, whichever of them fails, and both forms of the checkpoint show it', async () => {
    expect((await quorum()).status).toBe(404);
    await expect.poll(async () => (await quorum()).status, { timeout: LONG }).toBe(200);
    const { text } = await quorum();
    expect(cosigners(text).sort()).toEqual(['one.example', 'two.example']);
    expect(openNote(text, logs).signedBy).toHaveLength(1);
    await expect.poll(async () => cosigners((await gateway.get(CHECKPOINT)).text).length, { timeout: LONG }).toBe(2);
    // The newest checkpoint has none yet; the quorum is for the one before.
    await gateway.chat('more');
    expect(cosigners((await gateway.get(CHECKPOINT)).text)).toEqual([]);
    expect(cosigners((await quorum()).text)).toHaveLength(2);
    // A larger checkpoint needs a consistency proof.
    const size = parseCheckpoint((await gateway.get(CHECKPOINT)).text).size;
    await expect.poll(async () => parseCheckpoint((await quorum()).text).size, { timeout: LONG }).toBe(size);
  });

  it('give monitors the last checkpoint that they cosigned', async () => {
    const at = (hash: string) => fetch(`${witnesses[0]?.url}/${hash}/checkpoint`);
    const served = await at(originHash(ORIGIN));
    expect(served.status).toBe(200);
    expect(cosigners(await served.text())).toEqual(['one.example']);
    expect((await at(originHash('example.org/other'))).status).toBe(404);
    expect((await fetch(`${witnesses[0]?.url}/add-checkpoint`)).status).toBe(405);
    expect((await fetch(`${witnesses[0]?.url}/add-checkpoint`, { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(413);
  });

  it('that fail are in the log, in metrics and in the list of witnesses', async () => {
    const lines = gateway.output.split('\n').filter((line) => line.includes('"event":"witness_failed"'));
    expect(lines.map((line) => JSON.parse(line)).find(({ witness }) => witness === gone.name)).toMatchObject({
      reason: 'HTTP_500',
      failures: 1,
    });
    const metrics = (await gateway.get('/metrics')).text;
    expect(metrics).toMatch(/^svc_witness_failures_total\{witness="gone\.example"\} [1-9]/m);
    expect(metrics).toMatch(/^svc_witness_failures_total\{witness="two\.example"\} /m);
    const { body } = await gateway.get('/v1/operations/witnesses');
    expect(body.witnesses.map(({ name }: { name: string }) => name)).toEqual([one.name, two.name, gone.name]);
    expect(body.witnesses[0]).toMatchObject({ lag_records: body.ledger_length - body.witnesses[0].cosigned_size });
    expect(body.witnesses[2]).toMatchObject({ cosigned_size: 0, lag_records: body.ledger_length });
  });
});

it.each([
  ['a URL with a password', (key: Signer) => ({ witnesses: [{ url: 'http://a:b@127.0.0.1:1', vkey: witnessKey(key) }] })],
  ['a URL with a query', (key: Signer) => ({ witnesses: [{ url: 'http://127.0.0.1:1/?a', vkey: witnessKey(key) }] })],
  ['a key of a log', (key: Signer) => ({ witnesses: [{ url: 'http://127.0.0.1:1', vkey: verifierKey(key) }] })],
  ['a damaged key', (key: Signer) => ({ witnesses: [{ url: 'http://127.0.0.1:1', vkey: witnessKey(key).replace('+', '+0') }] })],
  [
    'the same witness twice',
    (key: Signer) => ({ witnesses: [1, 2].map((port) => ({ url: `http://127.0.0.1:${port}`, vkey: witnessKey(key) })) }),
  ],
  [
    'a policy that is not there',
    (key: Signer) => ({ witnesses: [{ url: 'http://127.0.0.1:1', vkey: witnessKey(key) }], witness_policy: 'none.txt' }),
  ],
])('a start is refused with %s', async (_, ledger) => {
  await expect(TestGateway.start({ here: true, config: echoConfig({ ledger: ledger(one) }) })).rejects.toThrow('SVC-POL-001');
});
