import type { Guard, GuardReservations, RunEvent } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALLOW, completionOf, guardOf, type Node, nodeOf, OpenGateway, PAUSE, type RouteParts } from '../harness/open-gateway.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-21T12:00:10Z');

let gateway: OpenGateway;
let budget: Node;
beforeEach(async () => {
  gateway = await OpenGateway.start({});
  gateway.clock.set(START);
});
afterEach(() => gateway.dispose());

const limit = (unit: string, amount: number, period: string) => ({ scope: 'principal', unit, amount, period });
/** A route on which a budget over the real store stands before the node that pauses. */
async function open(limits: object[], parts: RouteParts): Promise<void> {
  const { clock, counters } = gateway;
  const guard = await guardOf('budget', { limits, prices: {}, default_output_tokens: 100 }, { clock, counters });
  budget = nodeOf('budget', guard);
  await gateway.close();
  await gateway.open({
    ...parts,
    expire_after_ms: 86_400_000,
    ingress: [budget, ...(parts.ingress ?? [])],
    egress: [...(parts.egress ?? []), budget],
  });
}

const onWord = (word: string): Node =>
  nodeOf('asks', { check: (segments) => (segments.some(({ text }) => text === word) ? PAUSE : ALLOW) });
const inIngress: RouteParts = { ingress: [onWord('wait')] };
let asked = false;
const beforeTheCall: RouteParts = {
  ingress: [nodeOf('asks', { endpoint: () => ({ verdict: asked ? 'require_approval' : 'allow', code: 'region' }) })],
};
const inEgress: RouteParts = {
  egress: [onWord('late')],
  complete: async () => ({ completion: completionOf('late'), unsupported: [] }),
};

const approve = (run_id: string) => gateway.runs.resume(run_id, 'bob', { decision: 'approved', digest: null });
const used = async (...keys: string[]) => gateway.counters.read(keys.map((key) => `budget/budget/principal/${key}/alice`));
const ofBudget = (events: readonly RunEvent[]) =>
  events
    .filter(({ event_type, node }) => event_type === 'verdict' && node === 'budget')
    .map(({ stage, data }) => [stage, data.code]);

describe.each([
  ['on the way in', inIngress],
  ['before the call', beforeTheCall],
])('a run that paused %s and is approved in a later period', (_where, parts) => {
  beforeEach(() => {
    asked = true;
  });

  it('is admitted if the budget suffices, and counts there', async () => {
    await open([limit('requests', 1, 'minute'), limit('tokens', 1000, 'hour')], parts);
    const { row } = await gateway.start('wait');
    expect(row.status).toBe('paused');
    gateway.clock.advance(MINUTE);
    const { row: after, events } = await approve(row.run_id);
    expect(after.status).toBe('completed');
    expect(ofBudget(events)).toEqual([
      ['ingress', 'within-budget'],
      ['ingress', 'within-budget'],
      ['egress', 'booked-with-the-run'],
    ]);
    expect(await used('requests/minute/2026-11-21T12:01', 'tokens/hour/2026-11-21T12')).toEqual([1, 5]);
    asked = false;
    expect((await gateway.start('hello')).row.status).toBe('blocked');
  });

  it('is blocked if others have used it up, and calls no model', async () => {
    let calls = 0;
    const complete: RouteParts['complete'] = async () => {
      calls += 1;
      return { completion: completionOf('answer'), unsupported: [] };
    };
    await open([limit('requests', 1, 'minute')], { ...parts, complete });
    const { row } = await gateway.start('wait');
    gateway.clock.advance(MINUTE);
    asked = false;
    expect((await gateway.start('hello')).row.status).toBe('completed');
    asked = true;
    const { row: after, stop, events } = await approve(row.run_id);
    expect([after.status, calls]).toEqual(['blocked', 1]);
    expect(stop).toMatchObject({ kind: 'blocked', node: 'budget', code: 'over-principal-requests-minute' });
    expect(ofBudget(events).at(-1)).toEqual(['ingress', 'over-principal-requests-minute']);
    expect(await used('requests/minute/2026-11-21T12:01')).toEqual([1]);
  });

  it('reserves nothing twice if its period continues', async () => {
    await open([limit('requests', 1, 'minute')], parts);
    const { row } = await gateway.start('wait');
    const { row: after, events } = await approve(row.run_id);
    expect(after.status).toBe('completed');
    expect(ofBudget(events)).toHaveLength(3);
    expect(await used('requests/minute/2026-11-21T12:00')).toEqual([1]);
  });

  it('is one of many, of which as many are admitted as the budget allows', async () => {
    await open([limit('requests', 5, 'minute')], parts);
    const paused: string[] = [];
    for (const minute of [0, 1]) {
      gateway.clock.set(START + minute * MINUTE);
      for (let i = 0; i < 5; i += 1) paused.push((await gateway.start('wait')).row.run_id);
    }
    gateway.clock.set(START + 2 * MINUTE);
    const outcomes = await Promise.all(paused.map((run_id) => approve(run_id)));
    expect(outcomes.map(({ row }) => row.status).sort()).toEqual([...Array(5).fill('blocked'), ...Array(5).fill('completed')]);
    expect(await used('requests/minute/2026-11-21T12:02')).toEqual([5]);
  });
});

describe('a run whose answer is paused across the end of a period', () => {
  it('is sent when it is approved, and is booked in the period of the call', async () => {
    await open([limit('tokens', 500, 'minute'), limit('tokens', 500, 'day')], inEgress);
    const { row } = await gateway.start('hello');
    expect(row.status).toBe('paused');
    gateway.clock.advance(3 * MINUTE);
    expect((await approve(row.run_id)).row.status).toBe('completed');
    expect(await used('tokens/minute/2026-11-21T12:03', 'tokens/day/2026-11-21')).toEqual([0, 5]);
  });
});

const revalidating = (revalidate: GuardReservations['revalidate']): Partial<Guard> => ({
  reservations: { revalidate, settle: () => null },
});

it.each([
  ['block', 'blocked'],
  ['require_approval', 'blocked'],
  ['allow', 'completed'],
] as const)('a node that cannot say whether a run may continue: on_error %s', async (on_error, status) => {
  const failing: Node = {
    ...nodeOf(
      'failing',
      revalidating(() => Promise.reject(new Error('x'))),
    ),
    on_error,
  };
  await gateway.close();
  await gateway.open({ ingress: [failing, onWord('wait')] });
  const { row } = await gateway.start('wait');
  const { row: after, events } = await approve(row.run_id);
  expect(after.status).toBe(status);
  expect(events.filter(({ node }) => node === 'failing').at(-1)?.data).toMatchObject({ code: 'SVC-NODE-001', failure: 'threw' });
});

it.each([
  ['edits', { ...ALLOW, verdict: 'sanitize', edits: [{ segment: 0, start: 0, end: 1, replacement: '' }] }],
  ['pauses', PAUSE],
  ['answers nothing', undefined],
])('a node that %s when only allow and block are possible has failed', async (_what, answer) => {
  const odd = nodeOf(
    'odd',
    revalidating(() => answer as never),
  );
  await gateway.close();
  await gateway.open({ ingress: [odd, onWord('wait')] });
  const { row } = await gateway.start('wait');
  const { row: after, events } = await approve(row.run_id);
  expect(after.status).toBe('blocked');
  expect(events.filter(({ node }) => node === 'odd').at(-1)?.data).toMatchObject({ failure: 'invalid' });
});
