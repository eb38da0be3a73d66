import { fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import gcp from './index.ts';
import { Options } from './options.ts';

// Its reads are tested in test/contract/secrets-clouds.slow.test.ts.
test.each<[string, object, RegExp]>([
  ['a project with a path', { project: 'svc-prod/secrets' }, /^project: /],
  ['a location with a domain', { location: 'europe-west3.example' }, /^location: /],
  ['http to another machine', { endpoint: 'http://vault.example' }, /^endpoint: /],
  ['an endpoint with a path', { endpoint: 'https://vault.example/v1' }, /^endpoint: /],
])('refuses %s', (_, given, message) => {
  const options = Value.Parse(Options, Value.Default(Options, { ...{ project: 'svc-prod' }, ...given }));
  expect(() => gcp.create(options, fakePluginDeps())).toThrow(message);
});
