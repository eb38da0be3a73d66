import { behaviours, providerConformance, type Upstream } from '@svc/sdk/testing';
import { afterAll, beforeAll, test } from 'vitest';
import { provide, startAnthropic } from './anthropic.ts';

let upstream: Upstream;
const opened: Upstream[] = [];

beforeAll(async () => {
  upstream = await startAnthropic();
  opened.push(upstream);
});
afterAll(async () => {
  for (const each of opened) await each.close();
});

const cases = providerConformance({
  create: () => provide(upstream),
  model: 'claude-1',
  stalled: async () => {
    const silent = await startAnthropic();
    opened.push(silent);
    silent.respond(behaviours.stalled());
    return { provider: provide(silent), reached: silent.received(1) };
  },
});

for (const { name, run } of cases) test(name, run);
