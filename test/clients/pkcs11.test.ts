import { fakeLogger, fakePluginDeps, signingConformance } from '@svc/sdk/testing';
import { describe, expect, test, vi } from 'vitest';
import pkcs11 from '../../plugins/secrets-pkcs11/src/index.ts';
import { optionsOf } from '../../plugins/secrets-pkcs11/src/test-options.ts';
import { SoftHsm, skipsSoftHsm } from '../harness/softhsm.ts';

const NEVER = new AbortController().signal;

describe.skipIf(skipsSoftHsm)('the backend pkcs11, with SoftHSM', { timeout: 60_000 }, () => {
  const opened = async () => {
    const hsm = await SoftHsm.start();
    // The library reads it in a process of its own.
    vi.stubEnv('SOFTHSM2_CONF', hsm.env.SOFTHSM2_CONF);
    return hsm;
  };
  const cases = signingConformance({
    open: async () => {
      const hsm = await opened();
      return {
        make: () => pkcs11.create(optionsOf({ module: hsm.module, pin: hsm.pin }), fakePluginDeps()),
        path: hsm.token,
        create: (key) => hsm.create(key),
        stop: async () => hsm.stop(),
        start: async () => hsm.resume(),
        dispose: async () => hsm.dispose(),
      };
    },
  });
  for (const { name, run } of cases) test(name, run);

  test('a PIN that the token refused is not tried again, and the log has neither PIN nor label', async () => {
    const hsm = await opened();
    const logger = fakeLogger();
    const backend = pkcs11.create(optionsOf({ module: hsm.module, pin: '00009999' }), fakePluginDeps({ logger }));
    try {
      await hsm.create('ledger');
      for (let n = 0; n < 2; n += 1)
        await expect(backend.signingKey(hsm.token, 'ledger', NEVER)).rejects.toMatchObject({ failure: 'login_failed' });
      expect(logger.lines.map(({ fields }) => fields)).toEqual([{ event: 'pkcs11_failed', call: 'C_Login', code: '0xa0' }]);
    } finally {
      await backend.close?.();
      hsm.dispose();
    }
  });

  test('two keys with one label are none', async () => {
    const hsm = await opened();
    const backend = pkcs11.create(optionsOf({ module: hsm.module, pin: hsm.pin }), fakePluginDeps());
    try {
      await hsm.create('ledger', '01');
      await hsm.create('ledger', '02');
      await expect(backend.signingKey(hsm.token, 'ledger', NEVER)).rejects.toMatchObject({ failure: 'not_found' });
    } finally {
      await backend.close?.();
      hsm.dispose();
    }
  });
});
