import type { JsonObject } from '@svc/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import { BudgetScene, codeOf, limit, segments } from './test-scene.ts';

let scene: BudgetScene;
beforeEach(() => {
  scene = new BudgetScene();
});

describe('across the end of a period', () => {
  const limits = [limit({ amount: 1 }), limit({ unit: 'tokens', amount: 1000 })];

  it('a request counts in the period of its admission, tokens in that of the call', async () => {
    const guard = scene.guardOf(limits);
    const ctx = scene.runOf();
    await guard.check(segments, ctx);
    scene.deps.clock.advance(120_000);
    const settlement = await scene.end(guard, ctx, [scene.spendOf(400, 590)]);
    expect(settlement?.spend.map(({ key, amount }) => [key, amount])).toEqual([
      [expect.stringContaining('tokens/day/2026-11-22'), 990],
    ]);
    expect(await codeOf(guard, scene.runOf())).toBe('over-principal-tokens-day');
    expect(await codeOf(guard, scene.runOf({ principal_id: 'bob' }))).toBe('within-budget');
  });

  it('a counter lasts a little longer than its period, for reservations made at the very end', async () => {
    const guard = scene.guardOf([limit({ period: 'minute' })]);
    const reserved: number[] = [];
    const { reserve } = scene.deps.counters;
    scene.deps.counters.reserve = (id, holds) => {
      reserved.push(...holds.map(({ expires_at }) => expires_at));
      return reserve(id, holds);
    };
    await guard.check(segments, scene.runOf());
    expect(reserved).toEqual([Date.parse('2026-11-22T00:01:00Z')]);
  });

  it('a run that is approved later is admitted again, in the period of the approval', async () => {
    const guard = scene.guardOf([limit({ amount: 2, period: 'minute' })]);
    const [first, second] = [scene.runOf(), scene.runOf()];
    await guard.check(segments, first);
    await guard.check(segments, second);
    scene.deps.clock.advance(60_000);
    expect(await codeOf(guard, scene.runOf())).toBe('within-budget');
    expect(await guard.reservations?.revalidate(segments, first)).toMatchObject({ verdict: 'allow', code: 'within-budget' });
    expect(await guard.reservations?.revalidate(segments, second)).toMatchObject({
      verdict: 'block',
      code: 'over-principal-requests-minute',
      hint: { retry_at: Date.parse('2026-11-22T00:01:00Z') },
    });
    // An admitted request counts in the period of its admission. A refused one does not count.
    expect((await scene.end(guard, first))?.spend).toMatchObject([
      { key: expect.stringContaining('2026-11-22T00:00'), amount: 1 },
    ]);
    expect((await scene.end(guard, second))?.spend).toEqual([]);
    expect(await codeOf(guard, scene.runOf())).toBe('over-principal-requests-minute');
  });

  it('only expired reservations are made again, and all are released', async () => {
    const guard = scene.guardOf([limit({ amount: 5, period: 'minute' }), limit({ amount: 2, period: 'hour', scope: 'global' })]);
    scene.deps.clock.set(Date.parse('2026-11-21T12:00:30Z'));
    const ctx = scene.runOf();
    await guard.check(segments, ctx);
    for (let minute = 0; minute < 3; minute += 1) {
      scene.deps.clock.advance(60_000);
      expect(await guard.reservations?.revalidate(segments, ctx)).toMatchObject({ verdict: 'allow' });
      expect(await guard.reservations?.revalidate(segments, ctx)).toMatchObject({ verdict: 'allow' });
    }
    const used = () => scene.deps.counters.read(['budget/test/principal/requests/minute/2026-11-21T12:03/alice', HOUR]);
    expect(await used()).toEqual([1, 1]);
    const settled = await scene.end(guard, ctx);
    expect(settled?.dropped).toHaveLength(4);
    expect(await used()).toEqual([1, 1]);
    expect(settled?.spend.map(({ amount }) => amount)).toEqual([1, 1]);
  });
  const HOUR = 'budget/test/global/requests/hour/2026-11-21T12';

  it('an answer billed before a pause counts in the period of the call', async () => {
    const guard = scene.guardOf([
      limit({ unit: 'tokens', amount: 1000 }),
      limit({ unit: 'tokens', amount: 5000, period: 'month' }),
    ]);
    const ctx = scene.runOf();
    await guard.check(segments, ctx);
    const paid = scene.spendOf(400, 590);
    scene.deps.clock.advance(86_400_000);
    const settlement = await scene.end(guard, ctx, [paid]);
    expect(settlement?.spend).toMatchObject([{ key: expect.stringContaining('/month/2026-11/'), amount: 990 }]);
    expect(await codeOf(guard, scene.runOf())).toBe('within-budget');
  });

  it('a run whose process died keeps all that it reserved', async () => {
    const guard = scene.guardOf([limit({ amount: 1, period: 'minute' })]);
    const ctx = scene.runOf();
    await guard.check(segments, ctx);
    scene.deps.clock.advance(60_000);
    const stored: JsonObject = JSON.parse(JSON.stringify(ctx.state));
    await guard.reservations?.revalidate(segments, ctx);
    expect(await scene.end(guard, { ...ctx, state: stored }, [], 'partial')).toBeNull();
    expect(await codeOf(guard, scene.runOf())).toBe('over-principal-requests-minute');
  });

  it('a run that is checked again after its reservation lapsed reserves anew', async () => {
    const ctx = scene.runOf();
    await scene.guardOf([limit({ amount: 1, period: 'minute' })]).check(segments, ctx);
    scene.deps.clock.advance(60_000);
    const guard = scene.guardOf([limit({ amount: 1, period: 'minute' })]);
    await guard.check(segments, scene.runOf());
    expect(await codeOf(guard, ctx)).toBe('over-principal-requests-minute');
  });

  it.each(['minute', 'hour', 'day', 'month'] as const)('a %s ends with its last millisecond', async (period) => {
    const guard = scene.guardOf([limit({ amount: 1, period })]);
    const last = Date.parse('2026-11-30T23:59:59.999Z');
    scene.deps.clock.set(last);
    expect(await codeOf(guard, scene.runOf())).toBe('within-budget');
    expect(await codeOf(guard, scene.runOf())).toBe(`over-principal-requests-${period}`);
    scene.deps.clock.set(last + 1);
    expect(await codeOf(guard, scene.runOf())).toBe('within-budget');
  });
});
