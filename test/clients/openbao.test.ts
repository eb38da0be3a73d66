import { fakePluginDeps, secretsConformance } from '@svc/sdk/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import vault from '../../plugins/secrets-vault/src/index.ts';
import { optionsOf } from '../../plugins/secrets-vault/src/test-options.ts';
import { startUpstream } from '../fixtures/upstream.ts';
import { OpenBao } from '../harness/openbao.ts';
import { skipsPython } from '../harness/python.ts';
import { keyInUse, startWithSecrets } from '../harness/secrets-gateway.ts';

/** Of installing it from an index. */
const LONG = 900_000;

describe.skipIf(skipsPython('OpenBao'))('the secrets backend vault, with OpenBao', { timeout: LONG }, () => {
  let bao: OpenBao;
  beforeAll(async () => {
    bao = await OpenBao.start();
  }, LONG);
  afterAll(() => bao.stop());

  let written = 0;
  const cases = secretsConformance({
    open: async () => {
      const fields = new Map<string, Record<string, string>>();
      const login = await bao.appRole();
      // Each case has a place of its own, and one asks at an address where nobody listens.
      written += 1;
      const place = `case-${written}`;
      let address = bao.address;
      const make = () => {
        const backend = vault.create(optionsOf({ address: bao.address, ...login }), fakePluginDeps());
        const stopped = vault.create(optionsOf({ address: 'http://127.0.0.1:1', ...login }), fakePluginDeps());
        const asked = () => (address === bao.address ? backend : stopped);
        return {
          resolve: (path: string, key: string, signal: AbortSignal) => asked().resolve(`${place}/${path}`, key, signal),
          close: async () => backend.close?.(),
        };
      };
      return {
        make,
        write: async (path, key, value) => {
          const data = { ...fields.get(path), [key]: value };
          fields.set(path, data);
          await bao.ask(`secret/data/${place}/${path}`, { data });
        },
        // Revokes every token that the role has given.
        expireSession: async () => void (await bao.ask('sys/leases/revoke-force/auth/approle', {}, 'PUT')),
        stop: async () => {
          address = '';
        },
        dispose: async () => undefined,
      };
    },
  });
  for (const { name, run } of cases) test(name, run);

  test('a changed key of a provider is used without a restart, with tokens that live for 4 seconds', async () => {
    const upstream = await startUpstream();
    await bao.ask('secret/data/apps/model', { data: { api_key: 'sk-first' } });
    const gateway = await startWithSecrets(upstream, { type: 'vault', address: bao.address, ...(await bao.appRole('4s')) });
    try {
      expect(await keyInUse(gateway, upstream)).toBe('sk-first');
      await bao.ask('secret/data/apps/model', { data: { api_key: 'sk-second' } });
      await gateway.until((output) => (output.includes('"event":"secret_changed"') ? true : undefined));
      expect(await keyInUse(gateway, upstream)).toBe('sk-second');
    } finally {
      await gateway.dispose();
      await upstream.close();
    }
  });
});
