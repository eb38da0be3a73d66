import { fakePluginDeps, protocolConformance } from '@svc/sdk/testing';
import { expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import plugin from './index.ts';
import { GEMINI } from './protocol.ts';
import { BODIES } from './test-bodies.ts';

for (const { name, run } of protocolConformance({ protocol: GEMINI, ...BODIES })) it(name, run);

it('is the plugin that its package offers', () => {
  const { apiVersion, plugins } = manifest.svc;
  expect(plugins).toEqual([{ kind: plugin.kind, type: plugin.type, entry: './dist/index.js' }]);
  expect(plugin.apiVersion).toBe(apiVersion);
  expect(plugin.create({}, fakePluginDeps()).protocol.id).toBe('google.gemini');
});
