import type { CounterSettlement, JsonObject } from '@svc/contracts';
import { afterEach, expect, it } from 'vitest';
import { ALLOW, completionOf, nodeOf, OpenGateway, PAUSE, type RouteParts } from '../harness/open-gateway.ts';

// What a plugin gives that cannot be recorded must end its own run with evidence, and nobody else's.

let opened: OpenGateway | undefined;
afterEach(() => opened?.dispose());

async function open(parts: RouteParts): Promise<OpenGateway> {
  opened = await OpenGateway.start(parts);
  return opened;
}

const pausing = () => nodeOf('pausing', { check: () => PAUSE });

it("a node's state that is not JSON ends the run instead of pausing it, with evidence", async () => {
  const spoiling = nodeOf('spoiling', {
    check(_segments, { state }) {
      Object.assign(state, { big: 1n } as unknown as JsonObject);
      return ALLOW;
    },
  });
  const gateway = await open({ ingress: [spoiling, pausing()] });
  const outcome = await gateway.start('hello');
  expect(outcome).toMatchObject({ row: { status: 'error', evidence: { seq: 2 } }, error: { code: 'SVC-INT-001' } });
  expect(outcome.events.map(({ event_type }) => event_type)).not.toContain('paused');
});

it('a number that JSON cannot hold, in an answer that would pause, is an upstream failure that was paid for', async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, x: Number.POSITIVE_INFINITY };
  const complete = async () => ({ completion: { ...completionOf('answer'), usage }, unsupported: [] });
  const gateway = await open({ egress: [pausing()], complete });
  const outcome = await gateway.start('hello');
  expect(outcome).toMatchObject({ row: { status: 'error', evidence: { seq: 2 } }, error: { code: 'SVC-PROV-001' }, paid: true });
});

it.each([
  ['a key that is too long', { reservation: 'r', spend: [{ key: 'k'.repeat(600), amount: 1, expires_at: 1 }] }],
  ['an amount that is no number', { reservation: 'r', spend: [{ key: 'k', amount: Number.NaN, expires_at: 1 }] }],
  ['no list', { reservation: 'r' }],
])('a settlement with %s is left out and reported, and runs of the same write are unaffected', async (_what, settlement) => {
  const settling = nodeOf('settling', {
    reservations: { revalidate: () => ALLOW, settle: () => settlement as unknown as CounterSettlement },
  });
  const gateway = await open({ ingress: [settling] });
  const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((content) => gateway.start(content)));
  expect(outcomes.map(({ row }) => row.status)).toEqual(Array(4).fill('completed'));
  for (const { events } of outcomes) {
    expect(events).toContainEqual({ event_type: 'error', stage: 'execute', node: 'settling', data: { code: 'SVC-NODE-001' } });
  }
  expect(await gateway.gateway.writable()).toBe(true);
});

it.each([
  ['no usage', { usage: null }],
  ['a choice that is none', { choices: [null] }],
  [
    'a tool call that is none',
    { choices: [{ index: 0, message: { role: 'assistant', content: '', tool_calls: [null] }, finish_reason: 'stop' }] },
  ],
])("a plugin's answer with %s ends the run with evidence, even if it is unusable", async (_what, fields) => {
  const complete = async () => ({
    completion: { ...completionOf('answer'), ...fields } as unknown as ReturnType<typeof completionOf>,
    unsupported: [],
  });
  const gateway = await open({ egress: [nodeOf('looking', {})], complete });
  const { row, error } = await gateway.start('hello');
  expect(row.evidence).not.toBeNull();
  expect(['completed', 'error']).toContain(row.status);
  expect(error?.code ?? 'SVC-PROV-001').toBe('SVC-PROV-001');
});
