import { fakeCallContext, fakePluginDeps } from '@svc/sdk/testing';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import plugin from './index.ts';
import { optionsWith, REQUEST, startAnthropic } from './provider-fixture.ts';

test('is the plugin that its package offers', () => {
  const { apiVersion, plugins } = manifest.svc;
  expect(plugins).toEqual([{ kind: plugin.kind, type: plugin.type, entry: './dist/index.js' }]);
  expect(plugin.apiVersion).toBe(apiVersion);
});

test('refuses at creation what it could never call', () => {
  expect(() => plugin.create(optionsWith({ base_url: 'nowhere' }), fakePluginDeps())).toThrow(/^base_url: /);
});

test('connects at the first call, not before', async () => {
  const upstream = await startAnthropic();
  const provider = plugin.create(optionsWith({ base_url: new URL(upstream.url).origin }), fakePluginDeps());
  const { completion } = await provider.complete(REQUEST, fakeCallContext());
  expect(completion).toMatchObject({ content: [{ type: 'text', text: 'upstream: ' }] });
  expect(upstream.requests[0]?.connection).toBe(1);
  await provider.close?.();
  await upstream.close();
});
