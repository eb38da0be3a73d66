import { fakePluginDeps } from '@svc/sdk/testing';
import Value from 'typebox/value';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import plugin from './index.ts';

test('is the plugin that its package offers', () => {
  const { apiVersion, plugins } = manifest.svc;
  expect(plugins).toEqual([{ kind: plugin.kind, type: plugin.type, entry: './dist/index.js' }]);
  expect(plugin.apiVersion).toBe(apiVersion);
});

test('needs no options, and answers', async () => {
  expect(Value.Check(plugin.options, {})).toBe(true);
  expect(Value.Check(plugin.options, { prefix: 'x' })).toBe(false);
  const context = { run_id: 'r', attempt: 1, signal: new AbortController().signal, timeout_ms: 1_000 };
  const request = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
  const { completion } = await plugin.create({}, fakePluginDeps()).complete(request, context);
  expect(completion).toMatchObject({ choices: [{ message: { content: 'echo: hi' } }] });
});
