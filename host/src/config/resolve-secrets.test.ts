import { generateKeyPairSync } from 'node:crypto';
import {
  type AnySecretsBackend,
  type HeldKey,
  SecretFailedError,
  type SecretsBackend,
  type SigningBackend,
} from '@svc/contracts';
import { signingKey } from '@svc/ledger';
import { describe, expect, it } from 'vitest';
import { Report } from './report.ts';
import { Secrets } from './resolve-secrets.ts';

const newReport = () => new Report('svc.yaml', () => ({ line: 1, column: 1 }));

const KEPT = 'secret://vault/a#k';
const READ = 'secret://vault/b#k';
const GONE = 'secret://vault/c#k';

function secretsOf(backend: AnySecretsBackend, report = newReport()): Secrets {
  return new Secrets({ report, directory: '.', backendOf: async () => backend });
}

it('the secrets of sections that a reload does not read are asked for again, and compared with the values in use', async () => {
  const answering = (value: string): SecretsBackend => ({ resolve: async () => ({ value, refresh_after_ms: 5_000 }) });
  const former = secretsOf(answering('first'));
  await former.resolve([KEPT, READ, GONE], []);
  const next = secretsOf(answering('second'));
  await next.resolve([READ], []);
  await next.keep(former.leased, (reference) => reference !== GONE);
  expect([...next.leased].map(([reference, { value }]) => [reference, value])).toEqual([
    [READ, 'second'],
    [KEPT, 'first'],
  ]);
  expect(await next.leased.get(KEPT)?.ask(new AbortController().signal)).toMatchObject({ value: 'second' });
});

describe('a key that a backend holds', () => {
  const KEY = signingKey(generateKeyPairSync('ed25519').privateKey);
  const OTHER = signingKey(generateKeyPairSync('ed25519').privateKey);
  const LEASE = { refresh_after_ms: 5_000 };
  const holding = (held: unknown): SigningBackend => ({ signingKey: async () => held as HeldKey });
  const messages = async (backend: SigningBackend): Promise<string[]> => {
    const report = newReport();
    expect(await secretsOf(backend, report).heldKey(KEPT, ['ledger'])).toBeUndefined();
    return report.diagnostics.map(({ message }) => message);
  };

  it('is used as it is, and its public key counts as the value that may change', async () => {
    const secrets = secretsOf(holding({ ...KEY, ...LEASE }));
    expect((await secrets.heldKey(KEPT, []))?.public_key).toEqual(KEY.public_key);
    const lease = secrets.leased.get(KEPT);
    expect(lease).toMatchObject({ value: Buffer.from(KEY.public_key).toString('base64'), refresh_after_ms: 5_000 });
    expect(await lease?.ask(new AbortController().signal)).toMatchObject({ value: lease?.value });
  });

  it('is null for a backend of values', async () => {
    expect(await secretsOf({ resolve: async () => 'a value' }).heldKey(KEPT, [])).toBeNull();
  });

  it.each<[string, unknown]>([
    ['that makes no valid signature', { public_key: OTHER.public_key, sign: KEY.sign, ...LEASE }],
    ['without a public key', { sign: KEY.sign, ...LEASE }],
    ['with a public key of another length', { public_key: Buffer.alloc(57), sign: KEY.sign, ...LEASE }],
    ['that does not sign', { public_key: KEY.public_key, ...LEASE }],
    ['without a time', KEY],
    ['that is null', null],
  ])('is refused: %s', async (_, held) => {
    expect(await messages(holding(held))).toHaveLength(1);
  });

  it('is reported with known reasons only', async () => {
    const failing = (error: Error): SigningBackend => ({ signingKey: () => Promise.reject(error) });
    expect(await messages(failing(new SecretFailedError('login_failed')))).toEqual([
      expect.stringContaining('rejects the login'),
    ]);
    expect(await messages(failing(new Error('the PIN is 1234')))).toEqual([expect.not.stringContaining('1234')]);
    const sign = () => Promise.reject(new SecretFailedError('forbidden'));
    expect(await messages(holding({ public_key: KEY.public_key, sign, ...LEASE }))).toHaveLength(1);
  });

  it('gives no value', async () => {
    const report = newReport();
    const secrets = secretsOf(holding({ ...KEY, ...LEASE }), report);
    expect([await secrets.check([KEPT], ['providers']), await secrets.check([KEPT], ['ledger'], true)]).toEqual([false, true]);
    expect(report.diagnostics).toMatchObject([{ code: 'SVC-POL-008', path: 'providers.0' }]);
  });
});
