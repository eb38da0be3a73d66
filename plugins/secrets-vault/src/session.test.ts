import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RefreshedSecret, SecretFailedError } from '@svc/sdk/secrets';
import { fakeClock, fakeLogger, fakePluginDeps } from '@svc/sdk/testing';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import vault from './index.ts';
import type { Options } from './options.ts';
import { optionsOf } from './test-options.ts';
import { ROLE, VaultDouble } from './vault-double.ts';

const NEVER = new AbortController().signal;
const LOGIN = 'POST auth/approle/login';
const RENEW = 'POST auth/token/renew-self';
const READ = 'GET secret/data/apps/openai';

let double: VaultDouble;
let clock: ReturnType<typeof fakeClock>;
beforeEach(async () => {
  double = new VaultDouble();
  await double.listen();
  double.write('apps/openai', { key: 'sk-1', port: 8, list: ['a'], empty: '' });
  clock = fakeClock();
});
afterEach(() => double.close());

/** Reads `apps/openai#key` as often as it is called. */
function reader(given: Partial<Options> = ROLE, directory = tmpdir()) {
  const backend = vault.create(optionsOf({ address: double.origin, ...given }), { ...fakePluginDeps(), clock, directory });
  const read = async (path = 'apps/openai', key = 'key') => (await backend.resolve(path, key, NEVER)) as RefreshedSecret;
  const failure = async (path?: string, key?: string) =>
    read(path, key).then(
      () => null,
      (error: unknown) => (error instanceof SecretFailedError ? error.failure : 'something else'),
    );
  return { read, failure, close: () => backend.close?.() };
}

describe('the lease', () => {
  it('is kept for later reads, and shared by those at the same time', async () => {
    const { read } = reader();
    await Promise.all([read(), read(), read()]);
    await read();
    expect(double.asked.filter((asked) => asked === LOGIN)).toHaveLength(1);
  });

  it('is renewed in its second half, without another login', async () => {
    const { read } = reader();
    await read();
    clock.advance(1_799_000);
    await read();
    clock.advance(2_000);
    await read();
    expect(double.asked).toEqual([LOGIN, READ, READ, RENEW, READ]);
  });

  it('is replaced by a login near its maximum, when it cannot be renewed, and after its end', async () => {
    const { read } = reader();
    await read();
    double.renewal_s = 60;
    clock.advance(1_900_000);
    await read();
    expect(double.asked.slice(2)).toEqual([RENEW, LOGIN, READ]);
    double.renewal_s = null;
    clock.advance(1_900_000);
    await read();
    expect(double.asked.slice(5)).toEqual([RENEW, LOGIN, READ]);
    clock.advance(3_700_000);
    await read();
    expect(double.asked.slice(8)).toEqual([LOGIN, READ]);
  });

  it('decides when the gateway asks again, at most every refresh_s', async () => {
    expect((await reader({ ...ROLE, refresh_s: 60 }).read()).refresh_after_ms).toBe(60_000);
    double.ttl_s = 20;
    expect((await reader().read()).refresh_after_ms).toBe(10_000);
    double.ttl_s = 1;
    expect((await reader().read()).refresh_after_ms).toBe(1_000);
  });

  it('of a token that does not expire is not renewed', async () => {
    double.ttl_s = 0;
    const { read } = reader({ token: double.newToken() });
    expect((await read()).refresh_after_ms).toBe(300_000);
    clock.advance(10_000_000);
    await read();
    expect(double.asked).not.toContain(RENEW);
  });

  it('of a token in a file follows the file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-vault-'));
    try {
      writeFileSync(join(folder, 'token'), `${double.newToken(false)}\n`);
      const { read, failure } = reader({ token_file: 'token' }, folder);
      await read();
      double.revokeAll();
      expect(await failure()).toBe('login_failed');
      writeFileSync(join(folder, 'token'), double.newToken(false));
      expect((await read()).value).toBe('sk-1');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('of a login that cannot be revoked is reported', async () => {
    const logger = fakeLogger();
    const backend = vault.create(optionsOf({ address: double.origin, ...ROLE }), fakePluginDeps({ logger }));
    await backend.resolve('apps/openai', 'key', NEVER);
    double.sealed = true;
    await backend.close?.();
    expect(logger.lines.map(({ fields }) => fields)).toEqual([{ event: 'vault_token_kept', reason: 'unavailable' }]);
  });

  it('of a login is revoked when the backend is closed, and that of a given token is not', async () => {
    const own = reader();
    await own.read();
    await own.close();
    expect([double.tokens, await own.failure(), double.tokens]).toEqual([0, 'unavailable', 0]);
    const given = reader({ token: double.newToken() });
    await given.read();
    await given.close();
    expect(double.tokens).toBe(1);
  });
});

describe('what goes wrong', () => {
  it('is reported by its reason', async () => {
    double.forbidden.add('apps/other');
    expect(await reader().failure('apps/other')).toBe('forbidden');
    expect(await reader().failure('apps/openai', 'port')).toBe('malformed');
    expect(await reader().failure('apps/openai', 'empty')).toBe('malformed');
    expect(await reader({ ...ROLE, secret_id: 'wrong' }).failure()).toBe('login_failed');
    expect(await reader({ token: 's.unknown' }).failure()).toBe('login_failed');
    expect(await reader({ ...ROLE, mount: 'kv1' }).failure()).toBe('malformed');
    double.sealed = true;
    expect(await reader().failure()).toBe('unavailable');
  });

  it('at one path does not end the session for others', async () => {
    double.forbidden.add('apps/other');
    const { read, failure } = reader();
    expect(await failure('apps/other')).toBe('forbidden');
    expect((await read()).value).toBe('sk-1');
  });

  it('at one path does not begin a session each time, and leaves no token behind', async () => {
    double.forbidden.add('apps/other');
    const { failure } = reader();
    for (let n = 0; n < 3; n += 1) expect(await failure('apps/other')).toBe('forbidden');
    await Promise.all([failure('apps/other'), failure('apps/other')]);
    expect([double.asked.filter((asked) => asked === LOGIN).length, double.tokens]).toEqual([1, 1]);
    // The role may have another policy by now.
    clock.advance(601_000);
    expect(await failure('apps/other')).toBe('forbidden');
    expect([double.asked.filter((asked) => asked === LOGIN).length, double.tokens]).toEqual([2, 1]);
  });
});

test.each<[string, Partial<Options>, RegExp]>([
  ['no login', {}, /^set one of token/],
  ['two logins', { ...ROLE, token: 't' }, /^set one of token/],
  ['half of a login', { token: 't', role_id: 'r' }, /^set one of token/],
  ['http to another machine', { ...ROLE, address: 'http://vault.example' }, /^address: /],
  ['an address with a path', { ...ROLE, address: 'https://vault.example/v1' }, /^address: /],
  ['an address with a password', { ...ROLE, address: 'https://a:b@vault.example' }, /^address: /],
])('refuses %s', (_, options, message) => {
  expect(() => vault.create(optionsOf({ address: double.origin, ...options }), fakePluginDeps())).toThrow(message);
});
