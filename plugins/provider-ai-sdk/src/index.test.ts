import { fakePluginDeps } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import plugin from './index.ts';
import { optionsWith } from './provider-fixture.ts';

test('is the plugin that its package offers', () => {
  const { apiVersion, plugins } = manifest.svc;
  expect(plugins).toEqual([{ kind: plugin.kind, type: plugin.type, entry: './dist/index.js' }]);
  expect(plugin.apiVersion).toBe(apiVersion);
});

test('brings no package of the AI SDK', () => {
  expect(Object.keys(manifest.dependencies).filter((name) => name.includes('ai-sdk'))).toEqual([]);
});

test('is created without the package, which is imported at the first call', async () => {
  const deps = fakePluginDeps();
  const provider = plugin.create(optionsWith({ package: '@ai-sdk/not-there' }), deps);
  await provider.close?.();
  expect(deps.logger.lines).toEqual([]);
});

test.each([
  ['@ai-sdk/mistral', {}, 'mistral'],
  ['@ai-sdk/google-vertex/anthropic', {}, 'google-vertex'],
  ['@openrouter/ai-sdk-provider', {}, 'openrouter'],
  ['@ai-sdk/openai-compatible', { baseURL: 'https://api.example.org/v1' }, 'https://api.example.org/v1'],
])('names the vendor that bills calls of %s', async (name, settings, vendor) => {
  const provider = plugin.create(optionsWith({ package: name, settings }), fakePluginDeps());
  expect(provider.vendor).toBe(vendor);
  await provider.close?.();
});

describe('options', () => {
  test('have defaults', () => {
    expect(optionsWith({ package: '@ai-sdk/cohere' })).toEqual({
      package: '@ai-sdk/cohere',
      settings: {},
      provider_options: {},
      connections: 2048,
      max_response_bytes: 16_777_216,
    });
  });

  test.each(['@ai-sdk/google-vertex/anthropic', 'ollama-ai-provider-v2', '@openrouter/ai-sdk-provider'])('take %s', (name) => {
    expect(Value.Check(plugin.options, optionsWith({ package: name }))).toBe(true);
  });

  test.each([
    {},
    { package: './local.js' },
    { package: '../up' },
    { package: 'node:fs' },
    { package: 'a/../b' },
    { package: 'https://a.example/x.js' },
    { package: 'a', factory: 'a.b' },
    { package: 'a', settings: [] },
    { package: 'a', provider_options: { bedrock: 1 } },
    { package: 'a', unknown: 1 },
  ])('refuse %o', (given) => expect(() => optionsWith(given)).toThrow());

  test('mark the keys as secrets', () => {
    const { apiKey, secretAccessKey, sessionToken } = plugin.options.properties.settings.properties;
    for (const secret of [apiKey, secretAccessKey, sessionToken]) expect(secret).toMatchObject({ writeOnly: true });
  });
});
