import type { CounterSettlement, GuardContext, JsonObject, Segment, Spend } from '@svc/sdk';
import { type FakePluginDeps, fakeGuardContext, fakePluginDeps } from '@svc/sdk/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { inputTokens } from './estimate.ts';
import budget from './index.ts';
import type { LimitOption, Options } from './options.ts';

const limit = (fields: Partial<LimitOption> = {}): LimitOption => ({
  scope: 'principal',
  unit: 'requests',
  amount: 2,
  period: 'day',
  ...fields,
});

const segments: Segment[] = [
  { index: 0, text: 'x'.repeat(40), kind: 'text', role: 'user', path: 'messages.0.content', choice: null },
];
/** Of {@link segments}. */
const INPUT = 28;
const PRICES = { 'echo-1': { input: 1, output: 2 }, dear: { input: 10, output: 20 } };

let deps: FakePluginDeps;
beforeEach(() => {
  deps = fakePluginDeps();
  deps.clock.set(Date.parse('2026-11-21T23:59:30Z'));
});

const guardOf = (limits: LimitOption[], more: Partial<Options> = {}) =>
  budget.create({ limits, prices: PRICES, default_output_tokens: 100, ...more }, deps);

let runs = 0;
const runOf = (fields: Partial<GuardContext> = {}) => {
  runs += 1;
  return fakeGuardContext({ run_id: `run-${runs}`, team: 'blue', state: {}, ...fields });
};
const spendOf = (input_tokens: number, output_tokens: number, model = 'echo-1'): Spend => ({
  at: deps.clock.now(),
  endpoint: { provider: 'local', model, region: 'eu' },
  usage: { input_tokens, output_tokens, cached_input_tokens: 0, estimated: false },
});

type Guard = ReturnType<typeof guardOf>;
const end = async (guard: Guard, ctx: GuardContext, spend: Spend[] = [], cost: 'complete' | 'partial' = 'complete') => {
  const settled: unknown = (await guard.reservations?.settle({ ...ctx, stage: 'egress' }, spend, 'completed', cost)) ?? [];
  const settlements: readonly CounterSettlement[] = Array.isArray(settled) ? settled : [];
  for (const settlement of settlements) deps.counters.settle(settlement);
  if (settlements.length === 0) return null;
  return { dropped: settlements.map(({ reservation }) => reservation), spend: settlements.flatMap((each) => each.spend) };
};
const codeOf = async (guard: Guard, ctx: GuardContext) => (await guard.check(segments, ctx)).code;

describe('what is reserved', () => {
  it('are the tokens of the request, and of every answer as many as the caller allows', async () => {
    expect(inputTokens(segments)).toBe(INPUT);
    const guard = guardOf([limit({ unit: 'tokens', amount: INPUT + 3 * 50 })]);
    expect(await codeOf(guard, runOf({ choices: 3, max_output_tokens: 51 }))).toBe('over-principal-tokens-day');
    expect(await codeOf(guard, runOf({ choices: 3, max_output_tokens: 50 }))).toBe('within-budget');
  });

  it('is the default where the caller allows anything', async () => {
    const guard = guardOf([limit({ unit: 'tokens', amount: INPUT + 99 })]);
    expect(await codeOf(guard, runOf())).toBe('over-principal-tokens-day');
    expect(await codeOf(guardOf([limit({ unit: 'tokens', amount: INPUT + 100 })]), runOf())).toBe('within-budget');
  });

  it('is the price of the dearest endpoint', async () => {
    const endpoints = ['echo-1', 'dear'].map((model) => ({ provider: 'p', model, region: null }));
    const micro = INPUT * 10 + 100 * 20;
    const guard = (usd: number) => guardOf([limit({ unit: 'usd', amount: usd / 1e6 })]);
    expect(await codeOf(guard(micro - 1), runOf({ endpoints }))).toBe('over-principal-usd-day');
    expect(await codeOf(guard(micro), runOf({ endpoints }))).toBe('within-budget');
  });

  it.each([Number.MAX_SAFE_INTEGER, 1e300, 0])(
    'bounds of callers that make no sense do no harm: %d',
    async (max_output_tokens) => {
      const guard = guardOf([limit({ unit: 'tokens', amount: 1000 }), limit({ unit: 'usd', amount: 1 })]);
      const { verdict } = await guard.check(segments, runOf({ max_output_tokens, choices: 128 }));
      expect(verdict).toBe(max_output_tokens === 0 ? 'allow' : 'block');
    },
  );

  it('is all or nothing over several limits', async () => {
    const guard = guardOf([limit({ amount: 1 }), limit({ scope: 'global', amount: 5 })]);
    await guard.check(segments, runOf());
    for (let i = 0; i < 10; i++) expect(await codeOf(guard, runOf())).toBe('over-principal-requests-day');
    const others = await Promise.all(['b', 'c', 'd', 'e', 'f'].map((principal_id) => codeOf(guard, runOf({ principal_id }))));
    expect(others.filter((code) => code === 'within-budget')).toHaveLength(4);
  });

  it('is held once for a run that is asked again', async () => {
    const guard = guardOf([limit()]);
    const ctx = runOf();
    for (let i = 0; i < 5; i++) expect(await codeOf(guard, ctx)).toBe('within-budget');
    expect(await codeOf(guard, runOf())).toBe('within-budget');
    expect(await codeOf(guard, runOf())).toBe('over-principal-requests-day');
  });
});

describe('scopes', () => {
  it.each([
    ['principal', { route: 'other' }, { principal_id: 'bob' }],
    ['route', { principal_id: 'bob' }, { route: 'other' }],
    ['team', { principal_id: 'bob', route: 'other' }, { team: 'red' }],
  ] as const)('%s adds up what is of the same %o', async (scope, same, other) => {
    const guard = guardOf([limit({ scope, amount: 1 })]);
    await guard.check(segments, runOf());
    expect(await codeOf(guard, runOf(same))).toBe(`over-${scope}-requests-day`);
    expect(await codeOf(guard, runOf(other))).toBe('within-budget');
  });

  it('global adds up everything of the pack, and nothing of another', async () => {
    const guard = guardOf([limit({ scope: 'global', amount: 1 })]);
    await guard.check(segments, runOf());
    expect(await codeOf(guard, runOf({ route: 'other', principal_id: 'bob' }))).toBe('over-global-requests-day');
    expect(await codeOf(guard, runOf({ node: 'second' }))).toBe('within-budget');
  });

  it('of a team leave runs without one alone, and book nothing of them', async () => {
    const guard = guardOf([limit({ scope: 'team', amount: 0 }), limit({ scope: 'route', unit: 'tokens', amount: 10_000 })]);
    const alone = runOf({ team: null });
    expect(await codeOf(guard, alone)).toBe('within-budget');
    const settlement = await end(guard, alone, [spendOf(5, 5)]);
    expect(settlement?.spend).toEqual([expect.objectContaining({ key: expect.stringContaining('/route/tokens/'), amount: 10 })]);
    expect(await codeOf(guard, runOf())).toBe('over-team-requests-day');
    expect(await codeOf(guardOf([limit({ scope: 'team', amount: 0 })]), runOf({ team: null }))).toBe('within-budget');
  });

  it('take names of any length that a configuration may have', async () => {
    const guard = guardOf((['principal', 'team', 'route', 'global'] as const).map((scope) => limit({ scope, period: 'minute' })));
    const ctx = runOf({ principal_id: 'p'.repeat(128), team: 't'.repeat(128), route: '/'.repeat(128), node: 'n'.repeat(64) });
    await guard.check(segments, ctx);
    const settlement = await end(guard, ctx);
    expect(settlement?.spend).toHaveLength(4);
    for (const { key } of settlement?.spend ?? []) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(512);
  });
});

describe('what is booked', () => {
  const limits = [limit({ amount: 9 }), limit({ unit: 'tokens', amount: 10_000 }), limit({ unit: 'usd', amount: 1 })];
  const amounts = (settlement: { spend: readonly { key: string; amount: number }[] } | null | undefined) =>
    Object.fromEntries((settlement?.spend ?? []).map(({ key, amount }) => [key.split('/')[3], amount]));

  it('is the real spend, of each attempt at its own price', async () => {
    const guard = guardOf(limits);
    const ctx = runOf();
    await guard.check(segments, ctx);
    const settlement = await end(guard, ctx, [spendOf(10, 0, 'dear'), spendOf(10, 20)]);
    expect(amounts(settlement)).toEqual({ requests: 1, tokens: 40, usd: 100 + 50 });
  });

  it('is the request alone where no model was called', async () => {
    const guard = guardOf(limits);
    const ctx = runOf();
    await guard.check(segments, ctx);
    expect(amounts(await end(guard, ctx))).toEqual({ requests: 1 });
  });

  it('is nothing of a run that was not let in, or never came here', async () => {
    const guard = guardOf([limit({ amount: 0 })]);
    const ctx = runOf();
    await guard.check(segments, ctx);
    expect(await end(guard, ctx)).toBeNull();
    expect(await end(guard, runOf())).toBeNull();
  });

  it('gives back what was reserved too much', async () => {
    const guard = guardOf([limit({ unit: 'tokens', amount: INPUT + 100 })]);
    const first = runOf();
    expect(await codeOf(guard, first)).toBe('within-budget');
    expect(await codeOf(guard, runOf())).toBe('over-principal-tokens-day');
    await end(guard, first, [spendOf(10, 5)]);
    expect(await codeOf(guard, runOf({ max_output_tokens: 85 }))).toBe('within-budget');
  });

  it('may be more than there was; then nothing more is let in', async () => {
    const guard = guardOf([limit({ unit: 'tokens', amount: 500 })]);
    const ctx = runOf();
    await guard.check(segments, ctx);
    await end(guard, ctx, [spendOf(400, 400)]);
    const { code, hint } = await guard.check(segments, runOf({ max_output_tokens: 1 }));
    expect(code).toBe('over-principal-tokens-day');
    expect(hint?.text).toContain('0 tokens are left');
  });

  it('keeps the reservation beside what is known, where nobody knows what a run cost', async () => {
    const guard = guardOf([limit({ amount: 2 }), limit({ unit: 'tokens', amount: 2 * (INPUT + 100) + 15 })]);
    const ctx = runOf();
    await guard.check(segments, ctx);
    expect(amounts(await end(guard, ctx, [spendOf(10, 5)], 'partial'))).toEqual({ tokens: 15 });
    const second = runOf();
    expect(await codeOf(guard, second)).toBe('within-budget');
    expect(await codeOf(guard, runOf())).toBe('over-principal-requests-day');
    // A crash takes the state: what was reserved stays all the same.
    expect(await end(guard, { ...second, state: {} }, [], 'partial')).toBeNull();
    expect(await codeOf(guard, runOf())).toBe('over-principal-requests-day');
  });

  it('is found again after a pause in another process', async () => {
    const ctx = runOf();
    await guardOf([limit()]).check(segments, ctx);
    const stored: JsonObject = JSON.parse(JSON.stringify(ctx.state));
    const settlement = await end(guardOf([limit()]), { ...ctx, state: stored });
    expect(settlement).toMatchObject({ dropped: [expect.any(String)], spend: [{ amount: 1 }] });
  });
});

describe('over the end of a period', () => {
  const limits = [limit({ amount: 1 }), limit({ unit: 'tokens', amount: 1000 })];

  it('a request counts where it was let in, tokens where they are booked', async () => {
    const guard = guardOf(limits);
    const ctx = runOf();
    await guard.check(segments, ctx);
    deps.clock.advance(120_000);
    const settlement = await end(guard, ctx, [spendOf(400, 590)]);
    expect(settlement?.spend.map(({ key, amount }) => [key, amount])).toEqual([
      [expect.stringContaining('tokens/day/2026-11-22'), 990],
    ]);
    expect(await codeOf(guard, runOf())).toBe('over-principal-tokens-day');
    expect(await codeOf(guard, runOf({ principal_id: 'bob' }))).toBe('within-budget');
  });

  it('a counter outlives it a little, for what was reserved at its very end', async () => {
    const guard = guardOf([limit({ period: 'minute' })]);
    const reserved: number[] = [];
    const { reserve } = deps.counters;
    deps.counters.reserve = (id, holds) => {
      reserved.push(...holds.map(({ expires_at }) => expires_at));
      return reserve(id, holds);
    };
    await guard.check(segments, runOf());
    expect(reserved).toEqual([Date.parse('2026-11-22T00:01:00Z')]);
  });

  it('a run that was approved later is let in again, in the period that it is then', async () => {
    const guard = guardOf([limit({ amount: 2, period: 'minute' })]);
    const [first, second] = [runOf(), runOf()];
    await guard.check(segments, first);
    await guard.check(segments, second);
    deps.clock.advance(60_000);
    expect(await codeOf(guard, runOf())).toBe('within-budget');
    expect(await guard.reservations?.revalidate(segments, first)).toMatchObject({ verdict: 'allow', code: 'within-budget' });
    expect(await guard.reservations?.revalidate(segments, second)).toMatchObject({
      verdict: 'block',
      code: 'over-principal-requests-minute',
      hint: { retry_at: Date.parse('2026-11-22T00:01:00Z') },
    });
    // Who was let in counts where it was, who was not does not.
    expect((await end(guard, first))?.spend).toMatchObject([{ key: expect.stringContaining('2026-11-22T00:00'), amount: 1 }]);
    expect((await end(guard, second))?.spend).toEqual([]);
    expect(await codeOf(guard, runOf())).toBe('over-principal-requests-minute');
  });

  it('only what has lapsed is reserved anew, and all of it is given back', async () => {
    const guard = guardOf([limit({ amount: 5, period: 'minute' }), limit({ amount: 2, period: 'hour', scope: 'global' })]);
    deps.clock.set(Date.parse('2026-11-21T12:00:30Z'));
    const ctx = runOf();
    await guard.check(segments, ctx);
    for (let minute = 0; minute < 3; minute += 1) {
      deps.clock.advance(60_000);
      expect(await guard.reservations?.revalidate(segments, ctx)).toMatchObject({ verdict: 'allow' });
      expect(await guard.reservations?.revalidate(segments, ctx)).toMatchObject({ verdict: 'allow' });
    }
    const used = () => deps.counters.read(['budget/test/principal/requests/minute/2026-11-21T12:03/alice', HOUR]);
    expect(await used()).toEqual([1, 1]);
    const settled = await end(guard, ctx);
    expect(settled?.dropped).toHaveLength(4);
    expect(await used()).toEqual([1, 1]);
    expect(settled?.spend.map(({ amount }) => amount)).toEqual([1, 1]);
  });
  const HOUR = 'budget/test/global/requests/hour/2026-11-21T12';

  it('an answer that was paid for before a pause is booked where it was paid, not where it leaves', async () => {
    const guard = guardOf([limit({ unit: 'tokens', amount: 1000 }), limit({ unit: 'tokens', amount: 5000, period: 'month' })]);
    const ctx = runOf();
    await guard.check(segments, ctx);
    const paid = spendOf(400, 590);
    deps.clock.advance(86_400_000);
    const settlement = await end(guard, ctx, [paid]);
    expect(settlement?.spend).toMatchObject([{ key: expect.stringContaining('/month/2026-11/'), amount: 990 }]);
    expect(await codeOf(guard, runOf())).toBe('within-budget');
  });

  it('a run whose process died keeps all that it reserved', async () => {
    const guard = guardOf([limit({ amount: 1, period: 'minute' })]);
    const ctx = runOf();
    await guard.check(segments, ctx);
    deps.clock.advance(60_000);
    const stored: JsonObject = JSON.parse(JSON.stringify(ctx.state));
    await guard.reservations?.revalidate(segments, ctx);
    expect(await end(guard, { ...ctx, state: stored }, [], 'partial')).toBeNull();
    expect(await codeOf(guard, runOf())).toBe('over-principal-requests-minute');
  });

  it('a run that is checked again after its reservation lapsed reserves anew', async () => {
    const ctx = runOf();
    await guardOf([limit({ amount: 1, period: 'minute' })]).check(segments, ctx);
    deps.clock.advance(60_000);
    const guard = guardOf([limit({ amount: 1, period: 'minute' })]);
    await guard.check(segments, runOf());
    expect(await codeOf(guard, ctx)).toBe('over-principal-requests-minute');
  });

  it.each(['minute', 'hour', 'day', 'month'] as const)('a %s is over with its last millisecond', async (period) => {
    const guard = guardOf([limit({ amount: 1, period })]);
    const last = Date.parse('2026-11-30T23:59:59.999Z');
    deps.clock.set(last);
    expect(await codeOf(guard, runOf())).toBe('within-budget');
    expect(await codeOf(guard, runOf())).toBe(`over-principal-requests-${period}`);
    deps.clock.set(last + 1);
    expect(await codeOf(guard, runOf())).toBe('within-budget');
  });
});

describe('a block', () => {
  it('tells what is left and when there is more', async () => {
    const guard = guardOf([limit({ unit: 'usd', amount: 0.001 })]);
    const first = runOf({ max_output_tokens: 100 });
    await guard.check(segments, first);
    await end(guard, first, [spendOf(0, 450)]);
    expect(await guard.check(segments, runOf({ max_output_tokens: 100 }))).toEqual({
      verdict: 'block',
      code: 'over-principal-usd-day',
      edits: [],
      findings: [{ entity_type: 'principal-usd-day', count: 1 }],
      hint: {
        text: 'Your limit is 0.001 USD per day; 0.0001 USD are left until it renews at 2026-11-22T00:00:00Z. This request may need 0.000228 USD: ask for less, or again then.',
        retry_at: Date.parse('2026-11-22T00:00:00Z'),
      },
    });
  });

  it.each([
    [
      'principal',
      1,
      'Your limit is 1 request per day; 0 requests are left until it renews at 2026-11-22T00:00:00Z. Ask again then.',
    ],
    [
      'route',
      2,
      'The limit of this route is 2 requests per day; 0 requests are left until it renews at 2026-11-22T00:00:00Z. Ask again then.',
    ],
    [
      'global',
      0,
      'The limit for all callers together is 0 requests per day, so nothing is let through; ask the operator for more.',
    ],
  ] as const)('speaks of one and of many: %s, %d', async (scope, amount, text) => {
    const guard = guardOf([limit({ scope, amount })]);
    for (let i = 0; i < amount; i += 1) await guard.check(segments, runOf());
    expect((await guard.check(segments, runOf())).hint?.text).toBe(text);
  });

  it('promises nothing to a request that is larger than the whole budget', async () => {
    const { hint } = await guardOf([limit({ unit: 'tokens', amount: 10 })]).check(segments, runOf());
    expect(hint).toEqual({ text: expect.stringContaining('send less') });
  });
});

describe('while it only observes', () => {
  it('holds nothing, says what it would have done, and books what was spent', async () => {
    const guard = guardOf([limit({ amount: 1 }), limit({ unit: 'tokens', amount: 1000 })]);
    const observed = () => runOf({ mode: 'observe' });
    const [first, second] = [observed(), observed()];
    expect(await codeOf(guard, first)).toBe('within-budget');
    expect(await codeOf(guard, second)).toBe('within-budget');
    await end(guard, first, [spendOf(1, 2)]);
    const third = observed();
    expect(await guard.check(segments, third)).toMatchObject({ verdict: 'block', code: 'over-principal-requests-day' });
    // It went on all the same.
    expect((await end(guard, third, [spendOf(3, 4)]))?.spend.map(({ amount }) => amount)).toEqual([1, 7]);
  });
});

it('never lets in more than there is, in any order of coming and going', async () => {
  const step = fc.record({
    begin: fc.boolean(),
    bound: fc.integer({ min: 0, max: 60 }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 600 }), fc.array(step, { maxLength: 40 }), async (amount, steps) => {
      deps = fakePluginDeps();
      const guard = guardOf([limit({ unit: 'tokens', amount }), limit({ unit: 'requests', amount: 9 })]);
      const open: { ctx: GuardContext; bound: number }[] = [];
      let [spent, let_in] = [0, 0];
      for (const { begin, bound, part } of steps) {
        if (begin) {
          const ctx = runOf({ max_output_tokens: bound });
          if ((await guard.check(segments, ctx)).verdict !== 'allow') continue;
          let_in += 1;
          open.push({ ctx, bound });
        } else {
          const run = open.shift();
          if (run === undefined) continue;
          // No run uses more than it was reckoned to.
          const used = spendOf(Math.floor(INPUT * part), Math.floor(run.bound * part));
          spent += used.usage.input_tokens + used.usage.output_tokens;
          await end(guard, run.ctx, [used]);
        }
        expect(spent + open.reduce((sum, { bound: most }) => sum + INPUT + most, 0)).toBeLessThanOrEqual(amount);
        expect(let_in).toBeLessThanOrEqual(9);
      }
    }),
  );
});
