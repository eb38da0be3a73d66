import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, type Behaviour, completionOf, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';
import { readStream } from '../harness/stream-reader.ts';

const PASSWORD = 'Kp4-Regenwurm';
const KEY = `-----BEGIN PRIVATE KEY-----\n${'MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwgg0b\n'.repeat(8)}-----END PRIVATE KEY-----`;
const ASKED = `wire transfer, password: ${PASSWORD}, key:\n${KEY}\nthanks`;
const MASKED = 'wire transfer, password: <SECRET_1>, key:\n<PRIVATE_KEY_1>\nthanks';

let upstream: Upstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startUpstream();
  const route = (...ingress: string[]) => ({ provider: 'upstream', model: 'm-1', pipeline: { ingress, egress: ['secrets'] } });
  gateway = await TestGateway.start({
    config: {
      providers: { upstream: { type: 'openai', base_url: upstream.url, region: 'eu' } },
      packs: {
        secrets: { restore: true },
        policy: { type: 'rules', rules: [{ name: 'wire', words: ['wire transfer'], verdict: 'require_approval' }] },
      },
      routes: { default: route('secrets'), pausing: route('secrets', 'policy') },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

const sent = (): string => JSON.parse(upstream.requests.at(-1)?.text ?? '').messages[0].content;

it('keeps its placeholders across a pause and a restart, and restores the values', async () => {
  const { body: paused } = await gateway.chat(ASKED, { model: 'pausing' });
  const { svc_run_id: run_id } = paused;
  const { body: pending, text } = await gateway.get(`/v1/runs/${run_id}/pending`, 'bob');
  expect(pending.messages).toMatchObject([{ content: MASKED }]);
  await gateway.stop('SIGKILL');
  await gateway.launch();
  upstream.respond(answer(completionOf({ model: 'm-1' }, 'use <SECRET_1>')));
  const { body } = await gateway.request('POST', `/v1/runs/${run_id}/resume`, {
    principal: 'bob',
    body: { decision: 'approved' },
  });
  expect(sent()).toBe(MASKED);
  expect(body).toMatchObject({ status: 'completed', response: `use ${PASSWORD}` });
  expect(text + JSON.stringify(await gateway.ledger()) + gateway.output).not.toContain(PASSWORD);
});

it('restores them in the arguments of a call, at any depth, and in a stream', async () => {
  const inner = JSON.stringify({ files: [{ text: 'key = <PRIVATE_KEY_1>' }], env: { '<SECRET_1>': 1 } });
  const called = { name: 'write', arguments: JSON.stringify({ deep: [{ to: '<SECRET_1>', inner }] }) };
  const completion = completionOf({ model: 'm-1' }, 'use <SECRET_1>');
  const message = { ...completion.choices[0]?.message, tool_calls: [{ id: 'c1', type: 'function', function: called }] };
  const calling = { ...completion, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] };
  upstream.respond(answer(calling as typeof completion) as Behaviour);
  const { body } = await gateway.chat(ASKED, { model: 'default' });
  const [{ message: got }]: [{ message: { content: string; tool_calls: [{ function: { arguments: string } }] } }] = body.choices;
  expect(got.content).toBe(`use ${PASSWORD}`);
  const { deep }: { deep: [{ to: string; inner: string }] } = JSON.parse(got.tool_calls[0].function.arguments);
  expect(deep[0].to).toBe(PASSWORD);
  expect(JSON.parse(deep[0].inner) as JsonObject).toEqual({ files: [{ text: `key = ${KEY}` }], env: { [PASSWORD]: 1 } });

  upstream.respond(answer(completionOf({ model: 'm-1' }, 'use <SECRET_1>')));
  expect(JSON.stringify(await readStream(gateway, ASKED, { model: 'default' }))).toContain(`use ${PASSWORD}`);
});

it('restores nothing in the answer to another request', async () => {
  await gateway.chat(ASKED, { model: 'default' });
  upstream.respond(answer(completionOf({ model: 'm-1' }, 'use <SECRET_1>, <PRIVATE_KEY_1>')));
  const { body } = await gateway.chat('what is it?', { model: 'default' });
  expect(body.choices[0].message.content).toBe('use <SECRET_1>, <PRIVATE_KEY_1>');
});
