import type { GuardContext } from '@svc/sdk';
import type { CounterSettlement, Spend } from '@svc/sdk/guard';
import { fakeGuardContext, fakePluginDeps, fakeSegments } from '@svc/sdk/testing';
import budget from './index.ts';
import type { LimitOption, Options } from './options.ts';

export const limit = (fields: Partial<LimitOption> = {}): LimitOption => ({
  scope: 'principal',
  unit: 'requests',
  amount: 2,
  period: 'day',
  ...fields,
});

export const segments = fakeSegments('ingress', ['x'.repeat(40)]);
/** The guard's token estimate for {@link segments}. */
export const INPUT = 28;
const PRICES = { 'echo-1': { input: 1, output: 2 }, dear: { input: 10, output: 20 } };

type Guard = ReturnType<BudgetScene['guardOf']>;

/** Budget guards that share their counters, half a minute before midnight. */
export class BudgetScene {
  readonly deps = fakePluginDeps();
  #runs = 0;

  constructor() {
    this.deps.clock.set(Date.parse('2026-11-21T23:59:30Z'));
  }

  guardOf(limits: LimitOption[], more: Partial<Options> = {}) {
    return budget.create({ limits, prices: PRICES, unpriced: 'block', default_output_tokens: 100, ...more }, this.deps);
  }

  runOf(fields: Partial<GuardContext> = {}): GuardContext {
    this.#runs += 1;
    return fakeGuardContext({ run_id: `run-${this.#runs}`, team: 'blue', session: 's-1', state: {}, ...fields });
  }

  spendOf(input_tokens: number, output_tokens: number, model = 'echo-1'): Spend {
    return {
      at: this.deps.clock.now(),
      endpoint: { provider: 'local', model, region: 'eu' },
      usage: { input_tokens, output_tokens, cached_input_tokens: 0, estimated: false },
    };
  }

  async end(guard: Guard, ctx: GuardContext, spend: Spend[] = [], cost: 'complete' | 'partial' = 'complete') {
    const settled: unknown = (await guard.reservations?.settle({ ...ctx, stage: 'egress' }, spend, 'completed', cost)) ?? [];
    const settlements: readonly CounterSettlement[] = Array.isArray(settled) ? settled : [];
    for (const settlement of settlements) this.deps.counters.settle(settlement);
    if (settlements.length === 0) return null;
    return { dropped: settlements.map(({ reservation }) => reservation), spend: settlements.flatMap((each) => each.spend) };
  }
}

export const codeOf = async (guard: Guard, ctx: GuardContext) => (await guard.check(segments, ctx)).code;
