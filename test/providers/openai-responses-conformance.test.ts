import { behaviours, providerConformance, startUpstream, type Upstream } from '@svc/sdk/testing';
import { afterAll, beforeAll, test } from 'vitest';
import { provide, startResponses } from './openai-responses.ts';

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
  create: () => provide(upstream),
  model: 'm-1',
  embedding: async () => {
    const embeds = await startUpstream(behaviours.embeddings());
    opened.push(embeds);
    return provide(embeds);
  },
  stalled: async () => {
    const silent = await startUpstream();
    opened.push(silent);
    silent.respond(behaviours.stalled());
    return { provider: provide(silent), reached: silent.received(1) };
  },
});

for (const { name, run } of cases) test(name, run);
