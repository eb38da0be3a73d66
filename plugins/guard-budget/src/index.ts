import { defineGuard, type GuardStream } from '@svc/sdk';
import { Budget, EGRESS } from './budget.ts';
import { compileLimits } from './limits.ts';
import { Options } from './options.ts';
import { Calendar } from './period.ts';
import { Prices } from './prices.ts';
import { routeFaults } from './route-faults.ts';

/** Passes the answer on unchanged; usage is settled when the run ends. */
const PASSING: GuardStream = {
  push: ({ text }) => ({ release: text }),
  end: () => ({ release: '' }),
  complete: () => EGRESS,
  finish: () => EGRESS,
};

/** The guard `budget`: limits tokens, USD and requests per period. See README.md. */
export default defineGuard({
  type: 'budget',
  options: Options,
  create({ limits, time_zone, prices: own, unpriced, default_output_tokens }, { name, clock, counters }) {
    const prices = new Prices({ prices: own, unpriced });
    const budget = new Budget({
      limits: compileLimits(limits, new Calendar(time_zone)),
      prices,
      unpriced,
      default_output_tokens,
      counters,
      clock,
    });
    return {
      reads_numbers: true,
      stages: ['ingress', 'egress'],
      verdicts: ['block'],
      stream: { capability: 'window', open: () => PASSING },
      check: (segments, ctx) => (ctx.stage === 'egress' ? EGRESS : budget.reserve(segments, ctx)),
      // Without a USD limit, it makes no difference which endpoint is called.
      ...(limits.some(({ unit }) => unit === 'usd') && { endpoint: (ctx, endpoint) => budget.at(ctx, endpoint) }),
      reservations: {
        revalidate: (segments, ctx) => budget.reserve(segments, ctx),
        settle: (ctx, spend, _outcome, cost) => budget.settlements(ctx, spend, cost),
        rates: (endpoint) => prices.own(endpoint),
      },
      lint: (route) => routeFaults(route, name, (endpoint) => budget.canPrice(endpoint)),
    };
  },
});
