import type { JsonObject } from '@svc/contracts';
import { anthropic } from '@svc/sdk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';

let claude: Upstream;
let other: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  claude = await startUpstream(anthropic.answer());
  other = await startUpstream();
  gateway = await TestGateway.start({
    here: true,
    config: {
      providers: {
        claude: { type: 'anthropic', base_url: new URL(claude.url).origin },
        other: { type: 'openai', base_url: other.url },
      },
      routes: { default: { provider: 'claude', model: 'm', fallbacks: [{ provider: 'other', model: 'm' }], pipeline: {} } },
    },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await claude.close();
  await other.close();
});

const CALL = { id: 'c', type: 'function' };
const MALFORMED: JsonObject[] = [
  { ...CALL, function: { name: 'f', arguments: { x: 1 } } },
  { ...CALL, function: { name: 'f', arguments: ['{}'] } },
  { ...CALL, function: { name: 'f' } },
  { ...CALL, function: 'x' },
  { ...CALL, function: null },
  { ...CALL, id: { x: 1 }, function: { name: 'f', arguments: '{}' } },
];

it("malformed tool calls are the caller's error: no fallback is called, and the endpoint stays available to others", async () => {
  for (const call of MALFORMED) {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, tool_calls: [call] },
    ];
    const { status, body } = await gateway.post('/v1/chat/completions', { model: 'default', messages });
    expect([status, body.error?.code]).toEqual([400, 'SVC-REQ-006']);
  }
  expect([claude.requests, other.requests]).toEqual([[], []]);
  expect((await gateway.chat('hello')).status).toBe(200);
  expect([claude.requests.length, other.requests.length]).toEqual([1, 0]);
  expect((await gateway.get('/metrics', null)).text).not.toMatch(/^svc_upstream_circuit_open\{.*\} 1$/m);
});
