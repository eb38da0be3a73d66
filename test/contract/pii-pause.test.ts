import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, completionOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream();
  const pipeline = { ingress: ['pii', 'policy'], egress: ['pii'] };
  gateway = await TestGateway.start({
    config: {
      providers: { upstream: { type: 'openai', base_url: upstream.url, region: 'eu' } },
      packs: {
        pii: { restore: true },
        policy: { type: 'rules', rules: [{ name: 'wire', words: ['wire transfer'], verdict: 'require_approval' }] },
        asking: { type: 'pii', verdict: 'require_approval', restore: true },
      },
      routes: {
        default: { provider: 'upstream', model: 'm-1', pipeline },
        asking: { provider: 'upstream', model: 'm-1', pipeline: { ingress: ['asking'], egress: ['asking'] } },
      },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

it.each(['default', 'asking'])('keeps its placeholders across a pause and a restart, on the route %s', async (model) => {
  const { body: paused } = await gateway.chat('wire transfer from ann@example.org to bob@example.org', { model });
  const { svc_run_id: run_id } = paused;
  const { text: pending } = await gateway.get(`/v1/runs/${run_id}/pending`, 'bob');
  expect(pending).toContain('wire transfer from <EMAIL_ADDRESS_1> to <EMAIL_ADDRESS_2>');
  await gateway.stop('SIGKILL');
  await gateway.launch();
  upstream.respond(answer(completionOf({ model: 'm-1' }, 'done, <EMAIL_ADDRESS_2>, from ANN@example.org')));
  const { body } = await gateway.request('POST', `/v1/runs/${run_id}/resume`, {
    principal: 'bob',
    body: { decision: 'approved' },
  });
  expect(JSON.parse(upstream.requests.at(-1)?.text ?? '').messages[0].content).toBe(
    'wire transfer from <EMAIL_ADDRESS_1> to <EMAIL_ADDRESS_2>',
  );
  expect(body).toMatchObject({ status: 'completed', response: 'done, bob@example.org, from ANN@example.org' });
  expect(JSON.stringify(await gateway.ledger())).not.toContain('example.org');
});
