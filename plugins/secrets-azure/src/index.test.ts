import { fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import azure from './index.ts';
import { Options } from './options.ts';

// Its reads are tested in test/contract/secrets-clouds.slow.test.ts.
test.each<[string, object, RegExp]>([
  ['http', { vault: 'http://127.0.0.1:8200' }, /^vault: must be https/],
  ['a vault with a path', { vault: 'https://svc.vault.azure.net/secrets' }, /^vault: /],
  ['a name in place of the vault', { vault: 'svc' }, /^vault: /],
])('refuses %s', (_, given, message) => {
  const options = Value.Parse(Options, Value.Default(Options, { ...{ vault: 'https://svc.vault.azure.net' }, ...given }));
  expect(() => azure.create(options, fakePluginDeps())).toThrow(message);
});
