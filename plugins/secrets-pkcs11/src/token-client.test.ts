import { fakeLogger, fakePluginDeps } from '@svc/sdk/testing';
import { expect, it } from 'vitest';
import pkcs11 from './index.ts';
import { optionsOf } from './test-options.ts';

const NEVER = new AbortController().signal;

it('reports a library that cannot be loaded, once, and does not end the gateway', async () => {
  const logger = fakeLogger();
  const backend = pkcs11.create(optionsOf({ module: 'none.so', pin: 'secret-pin' }), fakePluginDeps({ logger }));
  for (let n = 0; n < 2; n += 1)
    await expect(backend.signingKey('token', 'key', NEVER)).rejects.toMatchObject({ failure: 'unavailable' });
  await backend.close?.();
  expect(logger.lines.map(({ fields }) => fields)).toEqual([{ event: 'hsm_failed', call: 'load', code: null }]);
  await expect(backend.signingKey('token', 'key', NEVER)).rejects.toMatchObject({ failure: 'unavailable' });
});

it('starts no process before it is used, and none to be closed', async () => {
  const backend = pkcs11.create(optionsOf({ module: 'none.so', pin: 'secret-pin' }), fakePluginDeps());
  await expect(backend.close?.()).resolves.toBeUndefined();
});
