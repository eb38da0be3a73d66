import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '@svc/contracts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { examine } from '../../host/src/doctor/examine.ts';
import type { Finding } from '../../host/src/doctor/finding.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

const KEY = 'sk-a-key-that-nobody-may-see';
const COMPLETION = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'OK' }, finish_reason: 'stop' }],
};

let folder: string;
/** How the server answers that is provider and issuer. */
let answer: RequestListener;
/** How far its clock is from that of this machine. */
let off_ms: number;
const server = createServer((request, response) => {
  response.setHeader('date', new Date(Date.now() + off_ms).toUTCString());
  answer(request, response);
});
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'));
  vi.stubEnv('PROVIDER_KEY', KEY);
  off_ms = 0;
  answer = well;
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const well: RequestListener = ({ url: path = '' }, response) => {
  const metadata = {
    issuer: url(),
    jwks_uri: `${url()}/keys`,
    authorization_endpoint: `${url()}/a`,
    token_endpoint: `${url()}/t`,
  };
  const body = path === '/keys' ? { keys: [{ kty: 'OKP' }] } : path.includes('well-known') ? metadata : COMPLETION;
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
};

const CONFIG = {
  auth: { keys: [{ principal_id: 'alice', key_hash: `sha256:${'0'.repeat(64)}` }] },
  routes: { default: { provider: 'vendor', model: 'm' } },
};
const vendor = () => ({ type: 'openai', base_url: `${url()}/v1`, api_key: 'secret://env/PROVIDER_KEY#value' });
const issuer = () => ({ issuer: url(), audience: 'svc', roles: { claim: 'groups', map: { users: ['call'] } } });

async function found(config: JsonObject, { runs_db = join(folder, 'runs-db'), offline = false } = {}): Promise<Finding[]> {
  const file = join(folder, 'svc.yaml');
  writeFileSync(file, JSON.stringify(config));
  const findings: Finding[] = [];
  for await (const finding of examine({ config: file, runs_db, offline })) findings.push(finding);
  expect(JSON.stringify(findings)).not.toContain(KEY);
  return findings;
}

const of = (findings: readonly Finding[], check: Finding['check']) => findings.filter((finding) => finding.check === check);

it('finds nothing wrong, and leaves no file behind', async () => {
  const findings = await found({ ...CONFIG, providers: { vendor: vendor() }, auth: { ...CONFIG.auth, oidc: [issuer()] } });
  expect(findings.filter(({ status }) => status === 'problem')).toEqual([]);
  for (const check of ['providers', 'issuers', 'clock'] as const)
    expect(of(findings, check), check).toMatchObject([{ status: 'ok' }]);
  expect(readdirSync(folder)).toEqual(['svc.yaml']);
});

it.each([
  ['a key that the provider refuses', (_, response) => response.writeHead(401).end('{}'), 'problem', 'status 401'],
  ['an overloaded provider', (_, response) => response.writeHead(503).end('{}'), 'warning', 'status 503'],
  ['a connection that breaks', (_, response) => response.destroy(), 'problem', 'vendor'],
] satisfies [string, RequestListener, string, string][])('reports %s', async (_, listener, status, message) => {
  answer = listener;
  const findings = of(await found({ ...CONFIG, providers: { vendor: vendor() } }), 'providers');
  expect(findings).toMatchObject([{ status, message: expect.stringContaining(message), remedy: expect.any(String) }]);
});

it('reports a secret that is not set, and still calls the other providers', async () => {
  const providers = { vendor: vendor(), other: { ...vendor(), api_key: 'secret://env/NOT_SET#value' } };
  const findings = await found({ ...CONFIG, providers });
  expect(of(findings, 'secrets')).toMatchObject([{ status: 'problem', message: expect.stringContaining('NOT_SET') }]);
  expect(of(findings, 'providers').map(({ status }) => status)).toEqual(['ok', 'problem']);
});

it('reports an issuer that cannot be used', async () => {
  answer = (_, response) => response.writeHead(500).end();
  const auth = { ...CONFIG.auth, oidc: [issuer()] };
  const findings = await found({ ...CONFIG, providers: { vendor: { type: 'echo' } }, auth });
  expect(of(findings, 'issuers')).toMatchObject([{ status: 'problem', message: expect.stringContaining(url()) }]);
});

it.each([
  ['a provider', { providers: { vendor: 'openai' }, oidc: false }],
  ['an issuer', { providers: { vendor: 'echo' }, oidc: true }],
])('compares the clock with that of %s', async (_, { providers, oidc }) => {
  off_ms = -600_000;
  const auth = oidc ? { ...CONFIG.auth, oidc: [issuer()] } : CONFIG.auth;
  const findings = await found({
    ...CONFIG,
    auth,
    providers: { vendor: providers.vendor === 'openai' ? vendor() : { type: 'echo' } },
  });
  expect(of(findings, 'clock')).toMatchObject([{ status: 'problem', message: expect.stringContaining('600 s ahead') }]);
});

it('calls nobody if it is offline', async () => {
  answer = () => expect.unreachable();
  const auth = { ...CONFIG.auth, oidc: [issuer()] };
  const findings = await found({ ...CONFIG, auth, providers: { vendor: vendor() } }, { offline: true });
  expect(findings.map(({ check }) => check)).not.toContain('providers');
});

it('reports a model without a price, and a configuration with errors', async () => {
  const providers = { vendor: { type: 'echo' } };
  const unpriced = await found({ ...CONFIG, providers, prices: { models: { other: { input: 1, output: 1 } } } });
  expect(of(unpriced, 'prices')).toMatchObject([{ status: 'warning', message: expect.stringContaining('no price for model m') }]);
  const broken = await found({ ...CONFIG, providers, colour: 'red' });
  expect(of(broken, 'configuration')).toMatchObject([{ status: 'problem', message: expect.stringContaining('colour') }]);
});

it('reports body limits that are too large for any machine, and key files that everybody can read', async () => {
  writeFileSync(join(folder, 'svc.key'), 'x');
  chmodSync(join(folder, 'svc.key'), 0o644);
  const most = 2 ** 50;
  const findings = await found(
    { ...CONFIG, providers: { vendor: { type: 'echo' } }, server: { max_bytes_in_flight: most } },
    { offline: true },
  );
  expect(of(findings, 'memory')).toMatchObject([{ status: 'problem' }]);
  expect(of(findings, 'key files')).toMatchObject([{ status: 'problem', remedy: expect.stringContaining('chmod') }]);
});

it('reports a database that is away, without its password', async () => {
  const config = { ...CONFIG, providers: { vendor: { type: 'echo' } } };
  const findings = await found(config, { runs_db: 'postgres://svc:hunter2@127.0.0.1:9/svc', offline: true });
  expect(of(findings, 'runs-db')).toMatchObject([{ status: 'problem', message: expect.stringContaining('ECONNREFUSED') }]);
  expect(JSON.stringify(findings)).not.toContain('hunter2');
});

describe('svc doctor', () => {
  async function svc(args: readonly string[]) {
    const child = spawn(process.execPath, [MAIN, 'doctor', ...args], { env: process.env });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, stdout, stderr };
  }

  it('names the gateway that uses the folder, and ends with 1 if there is a problem', async () => {
    const gateway = await TestGateway.start({ here: true, config: echoConfig() });
    try {
      const runs_db = join(gateway.folder, 'runs-db');
      const fine = await svc(['--config', join(gateway.folder, 'svc.yaml'), '--runs-db', runs_db, '--json']);
      const { ok, checks } = JSON.parse(fine.stdout);
      expect([fine.code, fine.stderr, ok]).toEqual([0, '', true]);
      expect(of(checks, 'runs-db')).toMatchObject([{ status: 'ok', message: expect.stringContaining(`process ${process.pid}`) }]);
      const wrong = await svc(['--config', join(gateway.folder, 'none.yaml')]);
      expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringMatching(/^problem +configuration/m)]);
    } finally {
      await gateway.dispose();
    }
  });
});
