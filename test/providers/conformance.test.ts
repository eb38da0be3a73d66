import type { Provider } from '@svc/contracts';
import { anthropic, behaviours, fakePluginDeps, providerConformance, startUpstream, type Upstream } from '@svc/sdk/testing';
import { afterAll, describe, test } from 'vitest';
import { aiSdkProvider } from '../../plugins/provider-ai-sdk/src/provider.ts';
import { optionsWith } from '../../plugins/provider-ai-sdk/src/provider-fixture.ts';
import { openAi } from '../../plugins/provider-openai/src/provider-fixture.ts';
import { provide as provideAnthropic, startAnthropic } from './anthropic.ts';
import { provide as provideResponses, startResponses } from './openai-responses.ts';

interface Row {
  readonly what: string;
  readonly start: () => Promise<Upstream>;
  readonly provide: (upstream: Upstream) => Provider;
  readonly embeds: boolean;
}

const PROVIDERS: readonly Row[] = [
  { what: 'openai', start: () => startUpstream(), provide: ({ url }) => openAi(url), embeds: true },
  { what: 'openai with the Responses API', start: startResponses, provide: provideResponses, embeds: true },
  { what: 'anthropic', start: startAnthropic, provide: (upstream) => provideAnthropic(upstream), embeds: false },
  {
    what: 'ai-sdk',
    start: () => startUpstream(anthropic.answer()),
    provide: ({ url }) =>
      aiSdkProvider(optionsWith({ package: '@ai-sdk/anthropic', settings: { baseURL: url, apiKey: 'k' } }), fakePluginDeps()),
    embeds: false,
  },
];

const opened: Upstream[] = [];
afterAll(async () => {
  for (const upstream of opened) await upstream.close();
});

async function begin(start: () => Promise<Upstream>): Promise<Upstream> {
  const upstream = await start();
  opened.push(upstream);
  return upstream;
}

describe.each(PROVIDERS)('$what', async ({ start, provide, embeds }) => {
  const upstream = await begin(start);
  const cases = providerConformance({
    create: () => provide(upstream),
    model: 'm-1',
    ...(embeds && { embedding: async () => provide(await begin(() => startUpstream(behaviours.embeddings()))) }),
    stalled: async () => {
      const silent = await begin(start);
      silent.respond(behaviours.stalled());
      return { provider: provide(silent), reached: silent.received(1) };
    },
  });
  for (const { name, run } of cases) test(name, run);
});
