import type { GuardContext, JsonObject } from '@svc/sdk';
import { configuredPrice, type Endpoint } from '@svc/sdk/guard';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { inputTokens } from './estimate.ts';
import { BudgetScene, codeOf, INPUT, limit, segments } from './test-scene.ts';

let scene: BudgetScene;
beforeEach(() => {
  scene = new BudgetScene();
});

describe('what is reserved', () => {
  it('is the number of tokens of the request, plus the maximum that the caller allows for every answer', async () => {
    expect(inputTokens(segments)).toBe(INPUT);
    const guard = scene.guardOf([limit({ unit: 'tokens', amount: INPUT + 3 * 50 })]);
    expect(await codeOf(guard, scene.runOf({ choices: 3, max_output_tokens: 51 }))).toBe('over-principal-tokens-day');
    expect(await codeOf(guard, scene.runOf({ choices: 3, max_output_tokens: 50 }))).toBe('within-budget');
  });

  it('is the default if the caller sets no maximum', async () => {
    const guard = scene.guardOf([limit({ unit: 'tokens', amount: INPUT + 99 })]);
    expect(await codeOf(guard, scene.runOf())).toBe('over-principal-tokens-day');
    expect(await codeOf(scene.guardOf([limit({ unit: 'tokens', amount: INPUT + 100 })]), scene.runOf())).toBe('within-budget');
  });

  describe('in dollars', () => {
    const endpoints = ['echo-1', 'dear'].map((model) => ({ provider: 'p', model, region: null }));
    const cheap = INPUT + 100 * 2;
    const dear = 10 * cheap;
    const guardOf = (micro: number, ...more: Parameters<typeof limit>) =>
      scene.guardOf([
        limit({ unit: 'usd', amount: micro / 1e6 }),
        ...more.map((fields) => limit({ scope: 'global', ...fields })),
      ]);
    const said = async (guard: ReturnType<typeof guardOf>, ctx = scene.runOf({ endpoints })) => ({
      code: await codeOf(guard, ctx),
      at: await Promise.all(endpoints.map(async (endpoint) => (await guard.endpoint?.(ctx, endpoint))?.code)),
    });

    it('is the price of the most expensive endpoint that the budget can pay', async () => {
      const saidOf = (micro: number) => said(guardOf(micro), scene.runOf({ endpoints, principal_id: `with ${micro}` }));
      expect(await saidOf(dear)).toEqual({ code: 'within-budget', at: ['within-budget', 'within-budget'] });
      expect(await saidOf(dear - 1)).toEqual({ code: 'within-budget', at: ['within-budget', 'over-budget'] });
      expect(await saidOf(cheap)).toEqual({ code: 'within-budget', at: ['within-budget', 'over-budget'] });
      expect((await saidOf(cheap - 1)).code).toBe('over-principal-usd-day');
    });

    it('holds only the amount that a run reserved', async () => {
      const guard = guardOf(dear + cheap);
      expect((await said(guard)).at).toEqual(['within-budget', 'within-budget']);
      expect((await said(guard)).at).toEqual(['within-budget', 'over-budget']);
      expect((await said(guard)).code).toBe('over-principal-usd-day');
    });

    it('is refused if no cheaper endpoint would help', async () => {
      expect((await said(guardOf(dear, { unit: 'tokens', amount: 1 }))).code).toBe('over-global-tokens-day');
    });

    it('leaves an endpoint without a price to others', async () => {
      const ctx = scene.runOf({ endpoints: [...endpoints, { provider: 'p', model: 'free', region: null }] });
      const guard = guardOf(dear);
      expect(await codeOf(guard, ctx)).toBe('within-budget');
      expect(await guard.endpoint?.(ctx, { provider: 'p', model: 'free', region: null })).toMatchObject({ code: 'no-price' });
    });

    it('has no endpoint hook without a limit in USD', () => {
      expect(scene.guardOf([limit({ unit: 'tokens' })]).endpoint).toBeUndefined();
    });
  });

  describe('for a model without a price', () => {
    const of = (fields: Partial<Endpoint>) =>
      scene.runOf({ endpoints: [{ provider: 'p', model: 'gone', region: null, ...fields }] });
    const usd = limit({ unit: 'usd', amount: 0.001 });

    it('a limit in USD refuses the call, unless the price may be missing: then it costs nothing', async () => {
      expect(await codeOf(scene.guardOf([usd]), of({}))).toBe('no-price');
      expect(await codeOf(scene.guardOf([limit()]), of({}))).toBe('within-budget');
      const lenient = scene.guardOf([usd], { unpriced: 'allow' });
      const ctx = of({});
      expect(await codeOf(lenient, ctx)).toBe('within-budget');
      expect((await scene.end(lenient, ctx, [scene.spendOf(9e6, 9e6, 'gone')]))?.spend).toEqual([]);
    });

    it("the gateway's price applies if there is one", async () => {
      const price = configuredPrice({ input: 1, output: 1 });
      expect(await codeOf(scene.guardOf([usd]), of({ price }))).toBe('within-budget');
      expect(await codeOf(scene.guardOf([usd]), of({ price: configuredPrice({ input: 100, output: 1 }) }))).toBe(
        'over-principal-usd-day',
      );
    });
  });

  it.each([Number.MAX_SAFE_INTEGER, 1e300, 0])('nonsensical maximums of callers do no harm: %d', async (max_output_tokens) => {
    const guard = scene.guardOf([limit({ unit: 'tokens', amount: 1000 }), limit({ unit: 'usd', amount: 1 })]);
    const { verdict } = await guard.check(segments, scene.runOf({ max_output_tokens, choices: 128 }));
    expect(verdict).toBe(max_output_tokens === 0 ? 'allow' : 'block');
  });

  it('is all or nothing over several limits', async () => {
    const guard = scene.guardOf([limit({ amount: 1 }), limit({ scope: 'global', amount: 5 })]);
    await guard.check(segments, scene.runOf());
    for (let i = 0; i < 10; i++) expect(await codeOf(guard, scene.runOf())).toBe('over-principal-requests-day');
    const others = await Promise.all(
      ['b', 'c', 'd', 'e', 'f'].map((principal_id) => codeOf(guard, scene.runOf({ principal_id }))),
    );
    expect(others.filter((code) => code === 'within-budget')).toHaveLength(4);
  });

  it('is reserved once for a run that is checked again', async () => {
    const guard = scene.guardOf([limit()]);
    const ctx = scene.runOf();
    for (let i = 0; i < 5; i++) expect(await codeOf(guard, ctx)).toBe('within-budget');
    expect(await codeOf(guard, scene.runOf())).toBe('within-budget');
    expect(await codeOf(guard, scene.runOf())).toBe('over-principal-requests-day');
  });
});

describe('scopes', () => {
  it.each([
    ['principal', { route: 'other' }, { principal_id: 'bob' }],
    ['route', { principal_id: 'bob' }, { route: 'other' }],
    ['team', { principal_id: 'bob', route: 'other' }, { team: 'red' }],
  ] as const)('%s sums spend with the same %o', async (scope, same, other) => {
    const guard = scene.guardOf([limit({ scope, amount: 1 })]);
    await guard.check(segments, scene.runOf());
    expect(await codeOf(guard, scene.runOf(same))).toBe(`over-${scope}-requests-day`);
    expect(await codeOf(guard, scene.runOf(other))).toBe('within-budget');
  });

  it('global adds up all runs of the pack, and none of other packs', async () => {
    const guard = scene.guardOf([limit({ scope: 'global', amount: 1 })]);
    await guard.check(segments, scene.runOf());
    expect(await codeOf(guard, scene.runOf({ route: 'other', principal_id: 'bob' }))).toBe('over-global-requests-day');
    expect(await codeOf(guard, scene.runOf({ node: 'second' }))).toBe('within-budget');
  });

  it('of a team ignore runs without a team', async () => {
    const guard = scene.guardOf([limit({ scope: 'team', amount: 0 }), limit({ scope: 'route', unit: 'tokens', amount: 10_000 })]);
    const alone = scene.runOf({ team: null });
    expect(await codeOf(guard, alone)).toBe('within-budget');
    const settlement = await scene.end(guard, alone, [scene.spendOf(5, 5)]);
    expect(settlement?.spend).toEqual([expect.objectContaining({ key: expect.stringContaining('/route/tokens/'), amount: 10 })]);
    expect(await codeOf(guard, scene.runOf())).toBe('over-team-requests-day');
    expect(await codeOf(scene.guardOf([limit({ scope: 'team', amount: 0 })]), scene.runOf({ team: null }))).toBe('within-budget');
  });

  it('accept names of any length that a configuration may contain', async () => {
    const guard = scene.guardOf(
      (['principal', 'team', 'route', 'global'] as const).map((scope) => limit({ scope, period: 'minute' })),
    );
    const ctx = scene.runOf({
      principal_id: 'p'.repeat(128),
      team: 't'.repeat(128),
      route: '/'.repeat(128),
      node: 'n'.repeat(64),
    });
    await guard.check(segments, ctx);
    const settlement = await scene.end(guard, ctx);
    expect(settlement?.spend).toHaveLength(4);
    for (const { key } of settlement?.spend ?? []) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(512);
  });
});

describe('what is booked', () => {
  const limits = [limit({ amount: 9 }), limit({ unit: 'tokens', amount: 10_000 }), limit({ unit: 'usd', amount: 1 })];
  const amounts = (settlement: { spend: readonly { key: string; amount: number }[] } | null | undefined) =>
    Object.fromEntries((settlement?.spend ?? []).map(({ key, amount }) => [key.split('/')[3], amount]));

  it('is the real spend, of each attempt at its own price', async () => {
    const guard = scene.guardOf(limits);
    const ctx = scene.runOf();
    await guard.check(segments, ctx);
    const settlement = await scene.end(guard, ctx, [scene.spendOf(10, 0, 'dear'), scene.spendOf(10, 20)]);
    expect(amounts(settlement)).toEqual({ requests: 1, tokens: 40, usd: 100 + 50 });
  });

  it('is only the request if no model was called', async () => {
    const guard = scene.guardOf(limits);
    const ctx = scene.runOf();
    await guard.check(segments, ctx);
    expect(amounts(await scene.end(guard, ctx))).toEqual({ requests: 1 });
  });

  it('is nothing for a run that was not admitted, or never reached the guard', async () => {
    const guard = scene.guardOf([limit({ amount: 0 })]);
    const ctx = scene.runOf();
    await guard.check(segments, ctx);
    expect(await scene.end(guard, ctx)).toBeNull();
    expect(await scene.end(guard, scene.runOf())).toBeNull();
  });

  it('releases excess reservations', async () => {
    const guard = scene.guardOf([limit({ unit: 'tokens', amount: INPUT + 100 })]);
    const first = scene.runOf();
    expect(await codeOf(guard, first)).toBe('within-budget');
    expect(await codeOf(guard, scene.runOf())).toBe('over-principal-tokens-day');
    await scene.end(guard, first, [scene.spendOf(10, 5)]);
    expect(await codeOf(guard, scene.runOf({ max_output_tokens: 85 }))).toBe('within-budget');
  });

  it('may exceed the limit; then nothing more is admitted', async () => {
    const guard = scene.guardOf([limit({ unit: 'tokens', amount: 500 })]);
    const ctx = scene.runOf();
    await guard.check(segments, ctx);
    await scene.end(guard, ctx, [scene.spendOf(400, 400)]);
    const { code, hint } = await guard.check(segments, scene.runOf({ max_output_tokens: 1 }));
    expect(code).toBe('over-principal-tokens-day');
    expect(hint?.text).toContain('0 tokens are left');
  });

  it('keeps the reservation in addition to the known cost if the cost of a run is unknown', async () => {
    const guard = scene.guardOf([limit({ amount: 2 }), limit({ unit: 'tokens', amount: 2 * (INPUT + 100) + 15 })]);
    const ctx = scene.runOf();
    await guard.check(segments, ctx);
    expect(amounts(await scene.end(guard, ctx, [scene.spendOf(10, 5)], 'partial'))).toEqual({ tokens: 15 });
    const second = scene.runOf();
    expect(await codeOf(guard, second)).toBe('within-budget');
    expect(await codeOf(guard, scene.runOf())).toBe('over-principal-requests-day');
    // In a crash, the state is lost but the reservation stays.
    expect(await scene.end(guard, { ...second, state: {} }, [], 'partial')).toBeNull();
    expect(await codeOf(guard, scene.runOf())).toBe('over-principal-requests-day');
  });

  it('is found again after a pause in another process', async () => {
    const ctx = scene.runOf();
    await scene.guardOf([limit()]).check(segments, ctx);
    const stored: JsonObject = JSON.parse(JSON.stringify(ctx.state));
    const settlement = await scene.end(scene.guardOf([limit()]), { ...ctx, state: stored });
    expect(settlement).toMatchObject({ dropped: [expect.any(String)], spend: [{ amount: 1 }] });
  });
});

describe('a block', () => {
  it('says what is left and when the budget renews', async () => {
    const guard = scene.guardOf([limit({ unit: 'usd', amount: 0.001 })]);
    const first = scene.runOf({ max_output_tokens: 100 });
    await guard.check(segments, first);
    await scene.end(guard, first, [scene.spendOf(0, 450)]);
    expect(await guard.check(segments, scene.runOf({ max_output_tokens: 100 }))).toEqual({
      verdict: 'block',
      code: 'over-principal-usd-day',
      edits: [],
      findings: [{ entity_type: 'principal-usd-day', count: 1 }],
      hint: {
        text: 'Your limit is 0.001 USD per day; 0.0001 USD are left until it renews at 2026-11-22T00:00:00Z. This request may need 0.000228 USD: request less, or try again then.',
        retry_at: Date.parse('2026-11-22T00:00:00Z'),
      },
    });
  });

  it.each([
    [
      'principal',
      1,
      'Your limit is 1 request per day; 0 requests are left until it renews at 2026-11-22T00:00:00Z. Try again then.',
    ],
    [
      'route',
      2,
      'The limit of this route is 2 requests per day; 0 requests are left until it renews at 2026-11-22T00:00:00Z. Try again then.',
    ],
    [
      'global',
      0,
      'The limit for all callers together is 0 requests per day, so every request is blocked; ask the operator to raise it.',
    ],
  ] as const)('uses singular and plural: %s, %d', async (scope, amount, text) => {
    const guard = scene.guardOf([limit({ scope, amount })]);
    for (let i = 0; i < amount; i += 1) await guard.check(segments, scene.runOf());
    expect((await guard.check(segments, scene.runOf())).hint?.text).toBe(text);
  });

  it('promises nothing to a request that is larger than the whole budget', async () => {
    const { hint } = await scene.guardOf([limit({ unit: 'tokens', amount: 10 })]).check(segments, scene.runOf());
    expect(hint).toEqual({ text: expect.stringContaining('send less') });
  });
});

describe('while it only observes', () => {
  it('reserves nothing, records what it would have done, and books the spend', async () => {
    const guard = scene.guardOf([limit({ amount: 1 }), limit({ unit: 'tokens', amount: 1000 })]);
    const observed = () => scene.runOf({ mode: 'observe' });
    const [first, second] = [observed(), observed()];
    expect(await codeOf(guard, first)).toBe('within-budget');
    expect(await codeOf(guard, second)).toBe('within-budget');
    await scene.end(guard, first, [scene.spendOf(1, 2)]);
    const third = observed();
    expect(await guard.check(segments, third)).toMatchObject({ verdict: 'block', code: 'over-principal-requests-day' });
    // The run continued anyway.
    expect((await scene.end(guard, third, [scene.spendOf(3, 4)]))?.spend.map(({ amount }) => amount)).toEqual([1, 7]);
  });
});

it('never admits more than the limit, in any order of starts and ends', async () => {
  const step = fc.record({
    begin: fc.boolean(),
    bound: fc.integer({ min: 0, max: 60 }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 600 }), fc.array(step, { maxLength: 40 }), async (amount, steps) => {
      scene = new BudgetScene();
      const guard = scene.guardOf([limit({ unit: 'tokens', amount }), limit({ unit: 'requests', amount: 9 })]);
      const open: { ctx: GuardContext; bound: number }[] = [];
      let [spent, let_in] = [0, 0];
      for (const { begin, bound, part } of steps) {
        if (begin) {
          const ctx = scene.runOf({ max_output_tokens: bound });
          if ((await guard.check(segments, ctx)).verdict !== 'allow') continue;
          let_in += 1;
          open.push({ ctx, bound });
        } else {
          const run = open.shift();
          if (run === undefined) continue;
          // No run uses more than its estimate.
          const used = scene.spendOf(Math.floor(INPUT * part), Math.floor(run.bound * part));
          spent += used.usage.input_tokens + used.usage.output_tokens;
          await scene.end(guard, run.ctx, [used]);
        }
        expect(spent + open.reduce((sum, { bound: most }) => sum + INPUT + most, 0)).toBeLessThanOrEqual(amount);
        expect(let_in).toBeLessThanOrEqual(9);
      }
    }),
  );
});
