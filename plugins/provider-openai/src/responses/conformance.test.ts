import { behaviours, providerConformance, startUpstream, type Upstream } from '@svc/sdk/testing';
import { afterAll, beforeAll, test } from 'vitest';
import { openAi } from '../provider-fixture.ts';
import { startResponses } from './test-upstream.ts';

let upstream: Upstream;
const opened: Upstream[] = [];

beforeAll(async () => {
  upstream = await startResponses();
  opened.push(upstream);
});
afterAll(async () => {
  for (const each of opened) await each.close();
});

const cases = providerConformance({
  create: () => openAi(upstream.url, { api: 'responses' }),
  model: 'm-1',
  embedding: async () => {
    const embeds = await startUpstream(behaviours.embeddings());
    opened.push(embeds);
    return openAi(embeds.url, { api: 'responses' });
  },
  stalled: async () => {
    const silent = await startUpstream();
    opened.push(silent);
    silent.respond(behaviours.stalled());
    return { provider: openAi(silent.url, { api: 'responses' }), reached: silent.received(1) };
  },
});

for (const { name, run } of cases) test(name, run);
