import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { opensslAccepts, skipsTimestamps, TestTimestampAuthority } from '../../host/src/timestamps/test-authority.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

const run = promisify(execFile);
const TIMESTAMP = '/v1/audit/ledger/timestamp';
const CHECKPOINT = '/v1/audit/ledger/checkpoint?timestamped=true';
/** Checkpoints are signed every ten seconds. */
const LONG = 90_000;

/** A gateway that gets its time stamps from this authority. */
async function gatewayOf(authority: TestTimestampAuthority, settings: object): Promise<TestGateway> {
  const timestamps = { url: await authority.listen(), ca: authority.caFile, ...settings };
  return TestGateway.start({ here: true, config: echoConfig({ ledger: { timestamps } }) });
}

describe.skipIf(skipsTimestamps)('time stamps', { timeout: LONG }, () => {
  let authority: TestTimestampAuthority;
  let gateway: TestGateway;
  let folder: string;
  const file = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-timestamps-'));
    authority = new TestTimestampAuthority();
    authority.mode = 'hangs';
    gateway = await gatewayOf(authority, {});
  });
  afterAll(async () => {
    await gateway?.dispose();
    authority?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it('delay no request while the authority hangs, and are 404 before the first one', async () => {
    await expect.poll(() => authority.requests, { timeout: LONG }).toBeGreaterThan(0);
    expect((await gateway.chat('hello')).status).toBe(200);
    expect((await gateway.get(TIMESTAMP)).status).toBe(404);
    expect((await gateway.get(CHECKPOINT)).status).toBe(404);
    expect((await gateway.get(`${CHECKPOINT}&cosigned=true`)).status).toBe(400);
    authority.mode = 'works';
    await expect.poll(async () => (await gateway.get(TIMESTAMP)).status, { timeout: LONG }).toBe(200);
    expect(gateway.output).toContain('"event":"timestamp_failed"');
    const metrics = (await gateway.get('/metrics')).text;
    expect(metrics).toMatch(/^svc_timestamp_failures_total [1-9]/m);
    expect(metrics).toMatch(/^svc_timestamp_lag_records 0$/m);
    expect(metrics).toMatch(/^svc_timestamp_time_seconds [1-9]/m);
  });

  it('are what openssl ts accepts for the downloaded checkpoint, and for no other byte', async () => {
    const at = async (path: string) => {
      const response = await fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${gateway.key('alice')}` } });
      return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const [checkpoint, reply] = [await at(CHECKPOINT), await at(TIMESTAMP)];
    expect(reply.type).toBe('application/octet-stream');
    expect(opensslAccepts(checkpoint.bytes, reply.bytes, authority.ca)).toBe(true);
    const flipped = Buffer.from(checkpoint.bytes);
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    expect(opensslAccepts(flipped, reply.bytes, authority.ca)).toBe(false);
    writeFileSync(file('checkpoint'), checkpoint.bytes);
    writeFileSync(file('token.tsr'), reply.bytes);
    const broken = Buffer.from(reply.bytes);
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    writeFileSync(file('broken.tsr'), broken);
    expect(opensslAccepts(checkpoint.bytes, broken, authority.ca)).toBe(false);
  });

  /** Runs `svc ledger verify` in another process: the gateway is in this one. */
  const verify = async (...args: string[]): Promise<{ status: unknown; stdout: string }> => {
    const all = [MAIN, 'ledger', 'verify', gateway.url, '--checkpoint', file('checkpoint'), ...args];
    const env = { ...process.env, SVC_KEY: gateway.key('alice') };
    return run(process.execPath, all, { env }).then(
      ({ stdout }) => ({ status: 0, stdout }),
      (error: { code: unknown; stdout: string }) => ({ status: error.code, stdout: error.stdout }),
    );
  };

  it('are checked by svc ledger verify, which says when', async () => {
    const ca = ['--tsa-ca', authority.caFile];
    const [key = ''] = (await gateway.get('/v1/audit/ledger/keys')).body.verifier_keys;
    const json = await verify('--key', key, '--timestamp', file('token.tsr'), ...ca, '--json');
    expect(json.status).toBe(0);
    const said = JSON.parse(json.stdout);
    expect(said.proven).toContain('timestamp');
    expect(said.checkpoints[0].timestamp).toMatchObject({ authority: 'O=svc test, CN=signer' });
    expect(Math.abs(Date.parse(said.checkpoints[0].timestamp.time) - Date.now())).toBeLessThan(LONG * 3);
    expect((await verify('--timestamp', file('token.tsr'), ...ca)).stdout).toContain(said.checkpoints[0].timestamp.time);
    expect((await verify('--timestamp', file('broken.tsr'), ...ca)).status).toBe(1);
    const other = new TestTimestampAuthority();
    expect((await verify('--timestamp', file('token.tsr'), '--tsa-ca', other.caFile)).status).toBe(1);
    other.dispose();
    expect((await verify('--timestamp', file('token.tsr'))).status).toBe(2);
    expect((await verify('--timestamp', file('token.tsr'), '--tsa-ca', file('checkpoint'))).status).toBe(2);
  });
});

describe.skipIf(skipsTimestamps)('required time stamps', { timeout: 2 * LONG }, () => {
  it('refuse new runs when they are overdue, say why, and accept them again', async () => {
    const authority = new TestTimestampAuthority();
    authority.mode = 'fails';
    const gateway = await gatewayOf(authority, { mode: 'required', every: '1s', max_age: '2s' });
    try {
      await expect.poll(async () => (await gateway.get('/readyz')).status, { timeout: LONG }).toBe(503);
      const refused = await gateway.chat('hello');
      expect(refused.status).toBe(503);
      expect(refused.body.error.code).toBe('SVC-STORE-001');
      expect(refused.headers.get('retry-after')).toBe('10');
      const health = await gateway.get('/v1/health');
      expect([health.status, health.body.status, health.body.reason]).toEqual([503, 'unavailable', 'timestamp']);
      // What was recorded can still be read.
      expect((await gateway.get('/v1/audit/ledger/checkpoint')).status).toBe(200);
      await expect.poll(() => gateway.output, { timeout: LONG }).toContain('"event":"timestamp_overdue"');
      authority.mode = 'works';
      await expect.poll(async () => (await gateway.get('/readyz')).status, { timeout: LONG }).toBe(204);
      expect((await gateway.chat('hello')).status).toBe(200);
      expect(gateway.output).toContain('"event":"timestamp_in_time"');
    } finally {
      await gateway.dispose();
      authority.dispose();
    }
  });

  it.each([
    ['a URL with credentials', { url: 'http://a:b@127.0.0.1' }],
    ['a file that is not there', { ca: 'none.pem' }],
    ['a maximum age that is too short', { every: '1h', max_age: '1h' }],
    ['an unknown mode', { mode: 'maybe' }],
  ])('a start is refused with %s', async (_, settings) => {
    const authority = new TestTimestampAuthority();
    try {
      await expect(gatewayOf(authority, settings)).rejects.toThrow('SVC-POL-001');
    } finally {
      authority.dispose();
    }
  });
});
