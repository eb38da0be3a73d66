import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, type TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';

const LIMIT = 100;
const ASKED = 200;

let upstream: Upstream;
let replicas: Replicas;
beforeAll(async () => {
  upstream = await startUpstream();
  const limit = { scope: 'global', unit: 'requests', amount: LIMIT, period: 'month' };
  const pipeline = { ingress: ['budget'], egress: ['budget'] };
  const config = echoConfig({
    providers: { upstream: { type: 'openai', base_url: upstream.url, connections: ASKED } },
    packs: { budget: { type: 'budget', limits: [limit] } },
    routes: { default: { provider: 'upstream', model: 'm-1', pipeline } },
  });
  replicas = await Replicas.start(inject('postgres'), config, 2);
});
afterAll(async () => {
  await replicas?.dispose();
  await upstream?.close();
});

/** In turn a chat, a stream and a run, each over the replica that it is given. */
function ask(gateway: TestGateway, n: number): Promise<Answer> {
  const principal = ['alice', 'bob', 'carol'][n % 3] ?? 'alice';
  if (n % 4 < 2) return gateway.post('/v1/runs', { messages: [{ role: 'user', content: `${n}` }] }, principal);
  return gateway.chat(`${n}`, { principal, stream: n % 8 < 4 });
}

it(`of ${ASKED} requests at once over two replicas ${LIMIT} reach the model, and not one more`, {
  timeout: 120_000,
}, async () => {
  const [first, second] = replicas.all;
  if (first === undefined || second === undefined) throw new Error('there are no two');
  const answers = await Promise.all(Array.from({ length: ASKED }, (_, n) => ask(n % 2 === 0 ? first : second, n)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(upstream.requests).toHaveLength(LIMIT);
  const ledger = (await first.ledger()).filter(({ record_type }) => record_type === 'run_evidence');
  expect(ledger.filter(({ status }) => status === 'completed')).toHaveLength(LIMIT);
  expect(ledger.filter(({ status }) => status === 'blocked')).toHaveLength(ASKED - LIMIT);
  // Spent, on each of them, for whoever asks later.
  for (const gateway of replicas.all) {
    expect((await gateway.chat('one more')).body.choices[0].finish_reason).toBe('content_filter');
  }
  expect(upstream.requests).toHaveLength(LIMIT);
});
