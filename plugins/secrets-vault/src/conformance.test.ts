import { fakePluginDeps, secretsConformance } from '@svc/sdk/testing';
import { describe, test } from 'vitest';
import vault from './index.ts';
import { optionsOf } from './test-options.ts';
import { ROLE, VaultDouble } from './vault-double.ts';

describe.each(['token', 'approle'] as const)('secrets conformance, with a login by %s', (login) => {
  const cases = secretsConformance({
    open: async () => {
      const double = new VaultDouble();
      await double.listen();
      const credentials = login === 'approle' ? ROLE : { token: double.newToken() };
      return {
        make: () => vault.create(optionsOf({ address: double.origin, ...credentials }), fakePluginDeps()),
        write: async (path, key, value) => double.write(path, { ...double.fieldsOf(path), [key]: value }),
        expireSession: login === 'token' ? null : async () => double.revokeAll(),
        stop: () => double.close(),
        dispose: () => double.close(),
      };
    },
  });
  for (const { name, run } of cases) test(name, run);
});
