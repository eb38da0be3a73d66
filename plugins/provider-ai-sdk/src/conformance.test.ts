import { anthropic, behaviours, fakePluginDeps, providerConformance, startUpstream, type Upstream } from '@svc/sdk/testing';
import { afterAll, beforeAll, test } from 'vitest';
import { aiSdkProvider } from './provider.ts';
import { optionsWith } from './provider-fixture.ts';

let upstream: Upstream;
const opened: Upstream[] = [];

beforeAll(async () => {
  upstream = await startUpstream(anthropic.answer());
  opened.push(upstream);
});
afterAll(async () => {
  for (const each of opened) await each.close();
});

const provide = ({ url }: Upstream) =>
  aiSdkProvider(optionsWith({ package: '@ai-sdk/anthropic', settings: { baseURL: url, apiKey: 'k' } }), fakePluginDeps());

const cases = providerConformance({
  create: () => provide(upstream),
  model: 'claude-1',
  stalled: async () => {
    const silent = await startUpstream();
    opened.push(silent);
    silent.respond(behaviours.stalled());
    return { provider: provide(silent), reached: silent.received(1) };
  },
});

for (const { name, run } of cases) test(name, run);
