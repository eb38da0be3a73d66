import { behaviours, fakePluginDeps, startUpstream } from '@svc/sdk/testing';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import plugin from './index.ts';

const options = {
  base_url: 'http://127.0.0.1:9/v1',
  api: 'chat_completions' as const,
  connections: 1,
  extensions: [],
  max_response_bytes: 10_000,
};

test('is the plugin that its package offers', () => {
  const { apiVersion, plugins } = manifest.svc;
  expect(plugins).toEqual([{ kind: plugin.kind, type: plugin.type, entry: './dist/index.js' }]);
  expect(plugin.apiVersion).toBe(apiVersion);
});

test('refuses at creation what it could never call', () => {
  expect(() => plugin.create({ ...options, base_url: 'nowhere' }, fakePluginDeps())).toThrow(/^base_url: /);
});

test.each([
  [options, 'http://127.0.0.1:9/v1'],
  [{ ...options, preset: 'azure' as const }, 'azure'],
  [{ ...options, base_url: undefined, preset: 'groq' as const }, 'https://api.groq.com/openai/v1'],
])('says who bills its calls: %#', async ({ base_url, ...given }, vendor) => {
  const provider = plugin.create({ ...given, ...(base_url !== undefined && { base_url }) }, fakePluginDeps());
  expect(provider.vendor).toBe(vendor);
  await provider.close?.();
});

test('connects at the first call, not before', async () => {
  const upstream = await startUpstream();
  upstream.respond(behaviours.answer('hi'));
  const provider = plugin.create({ ...options, base_url: upstream.url }, fakePluginDeps());
  expect(upstream.requests).toHaveLength(0);
  const context = { run_id: 'r', attempt: 1, signal: new AbortController().signal, timeout_ms: 10_000 };
  const { completion } = await provider.complete({ model: 'm', messages: [] }, context);
  expect(completion).toMatchObject({ choices: [{ message: { content: 'hi' } }] });
  expect(upstream.requests[0]?.connection).toBe(1);
  await provider.close?.();
  await upstream.close();
});
