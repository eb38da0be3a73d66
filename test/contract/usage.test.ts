import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const LEAK = { type: 'rules', rules: [{ name: 'leak', words: ['leak'], verdict: 'require_approval' }] };
const PRICE = { input: 2, output: 10 };

let gateway: TestGateway;
beforeAll(async () => {
  const limits = [{ scope: 'global', unit: 'usd', amount: 100, period: 'month' }];
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      packs: { budget: { type: 'budget', limits, prices: { 'echo-1': PRICE } }, leak: LEAK },
      routes: {
        default: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['budget'], egress: ['budget'] } },
        leaking: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['budget'], egress: ['budget', 'leak'] } },
        unpriced: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['policy'], egress: [] } },
      },
    }),
    principals: [
      { principal_id: 'ada', roles: ['admin', 'audit'] },
      { principal_id: 'alice', roles: ['call'], team: 'blue' },
      { principal_id: 'bob', roles: ['call'] },
      { principal_id: 'narrow', roles: ['audit'], routes: ['unpriced'] },
      { principal_id: 'judge', roles: ['approve'] },
    ],
  });
});
afterAll(() => gateway.dispose());

interface Tokens {
  prompt_tokens: number;
  completion_tokens: number;
}
const sumsOf = (runs: readonly Tokens[]) => ({
  runs: runs.length,
  input_tokens: runs.reduce((sum, { prompt_tokens }) => sum + prompt_tokens, 0),
  output_tokens: runs.reduce((sum, { completion_tokens }) => sum + completion_tokens, 0),
  partial_runs: 0,
});
const usdOf = ({ prompt_tokens, completion_tokens }: Tokens): number =>
  (prompt_tokens * PRICE.input + completion_tokens * PRICE.output) / 1_000_000;

it('adds up tokens and dollars by key, team, principal and route, for those who may see them', async () => {
  const usage = async (group_by: string, principal = 'ada', since = '2026-01-01') =>
    (await gateway.get(`/v1/usage?since=${since}&group_by=${group_by}`, principal)).body.groups;
  const made = (await gateway.post('/v1/keys', { principal_id: 'app', roles: ['call'], team: 'blue' }, 'ada')).body;
  const priced: Tokens = (await gateway.chat('one two three', { principal: 'alice' })).body.usage;
  const other: Tokens = (await gateway.chat('four five', { principal: 'bob', model: 'unpriced' })).body.usage;
  await gateway.chat('forbidden', { principal: 'bob', model: 'unpriced' });
  const headers = { authorization: `Bearer ${made.key}` };
  const body = { model: 'default', messages: [{ role: 'user', content: 'six' }] };
  const keyed: Tokens = (await gateway.request('POST', '/v1/chat/completions', { principal: null, headers, body })).body.usage;

  const latency_ms = { p50: expect.any(Number), p95: expect.any(Number) };
  const ofPriced = {
    requests: 2,
    blocked: 0,
    latency_ms,
    ...sumsOf([priced, keyed]),
    usd: usdOf(priced) + usdOf(keyed),
    unpriced_runs: 0,
  };
  const ofOther = { requests: 2, blocked: 1, latency_ms, ...sumsOf([other]), usd: 0, unpriced_runs: 1 };
  const byName = (groups: { name: string }[]) => Object.fromEntries(groups.map(({ name, ...sums }) => [name, sums]));
  expect(byName(await usage('route'))).toEqual({ default: closeTo(ofPriced), unpriced: ofOther });
  expect(byName(await usage('team'))).toEqual({ blue: closeTo(ofPriced), null: ofOther });
  expect(byName(await usage('key'))[made.id]).toEqual(
    closeTo({ requests: 1, blocked: 0, latency_ms, ...sumsOf([keyed]), usd: usdOf(keyed), unpriced_runs: 0 }),
  );
  expect(Object.keys(byName(await usage('principal'))).toSorted()).toEqual(['alice', 'app', 'bob']);

  // A run that was blocked before its call has no model.
  expect(byName(await usage('model'))).toMatchObject({ 'echo-1': { runs: 3 }, null: { runs: 0, requests: 1, latency_ms: null } });
  for (const interval of ['hour', 'day']) {
    const day = new Date().toISOString().slice(0, 10);
    const { groups } = (await gateway.get(`/v1/usage?since=${day}&group_by=route&interval=${interval}`, 'ada')).body;
    for (const { name: _, intervals, ...sums } of groups) {
      const times = intervals.map((one: { since: string }) => one.since);
      expect(times).toEqual(times.toSorted());
      if (interval === 'day') expect(intervals).toEqual([{ since: `${day}T00:00:00.000Z`, ...sums }]);
      const runs = intervals.reduce((sum: number, one: { runs: number }) => sum + one.runs, 0);
      expect(runs).toBe(sums.runs);
    }
  }
  const long = await gateway.get('/v1/usage?since=2026-01-01&interval=hour', 'ada');
  expect([long.status, long.body.code]).toEqual([400, 'SVC-REQ-001']);

  expect(Object.keys(byName(await usage('principal', 'alice')))).toEqual(['alice']);
  expect(Object.keys(byName(await usage('route', 'narrow')))).toEqual(['unpriced']);
  expect(await usage('route', 'ada', '2999-01-01')).toEqual([]);
  const metrics = (await gateway.get('/metrics', null)).text;
  expect(metrics).toContain(`svc_team_tokens_total{team="blue",kind="input"} ${priced.prompt_tokens + keyed.prompt_tokens}`);
  expect(spendOf(metrics)).toEqual({ blue: expect.closeTo(usdOf(priced) + usdOf(keyed), 6) });
});

/** Dollars by team. */
const spendOf = (metrics: string): Record<string, number> =>
  Object.fromEntries(
    [...metrics.matchAll(/^svc_team_spend_usd_total\{team="([^"]*)"\} (\S+)$/gm)].map(([, team = '', usd]) => [
      team,
      Number(usd),
    ]),
  );

it('counts the cost of a team once, when a paused run ends, and sums teams created at run time', async () => {
  const { key } = (await gateway.post('/v1/keys', { principal_id: 'app', roles: ['call'], team: 'green' }, 'ada')).body;
  const headers = { authorization: `Bearer ${key}` };
  const body = { route: 'leaking', messages: [{ role: 'user', content: 'a leak' }] };
  const spend = async () => spendOf((await gateway.get('/metrics', null)).text).other ?? 0;
  const { run_id, status } = (await gateway.request('POST', '/v1/runs', { principal: null, headers, body })).body;
  expect([status, await spend()]).toEqual(['paused', 0]);
  await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'judge');
  const { groups } = (await gateway.get('/v1/usage?since=2026-01-01&group_by=team', 'ada')).body;
  const { usd } = groups.find(({ name }: { name: string }) => name === 'green');
  expect(usd).toBeGreaterThan(0);
  expect(await spend()).toBeCloseTo(usd, 9);
});

it('sums this month by principal by default', async () => {
  const { status, body } = await gateway.get('/v1/usage', 'ada');
  const month = `${new Date().toISOString().slice(0, 7)}-01T00:00:00.000Z`;
  expect([status, body.since, body.group_by]).toEqual([200, month, 'principal']);
  expect(body.groups).toContainEqual(expect.objectContaining({ name: 'alice', runs: 1 }));
});

function closeTo<T extends { usd: number }>(sums: T) {
  return { ...sums, usd: expect.closeTo(sums.usd, 5) };
}

it.each([
  ['since=soon&group_by=team', 'ada', 400],
  ['since=2026-01-01&group_by=city', 'ada', 400],
  ['since=2026-01-01&group_by=team', 'judge', 403],
])('refuses %s of %s', async (query, principal, status) => {
  expect((await gateway.get(`/v1/usage?${query}`, principal)).status).toBe(status);
});
