import { allow, block, type Clock, type GuardContext, type GuardResult, type Segment } from '@svc/sdk';
import type { Cost, CounterSettlement, Counters, Endpoint, EndpointVerdict, Spend } from '@svc/sdk/guard';
import { estimate } from './estimate.ts';
import { counterOf, expiryOf, holdsOf, type Limit, limitsFor } from './limits.ts';
import type { Options, Unit } from './options.ts';
import type { Prices } from './prices.ts';
import { refusal, refuser } from './refusal.ts';
import { type Entry, endpointId, readEntry, writeEntry } from './run-state.ts';

/** The answer is not checked here. Its cost is settled in the commit that ends the run. */
export const EGRESS = allow('booked-with-the-run');
const WITHIN: GuardResult = allow('within-budget');
const NO_PRICE = block('no-price', {
  hint: { text: 'The budget is in USD, but no model of this route has a price. Ask the operator to add one.' },
});

export interface BudgetParts {
  readonly limits: readonly Limit[];
  readonly prices: Prices;
  readonly unpriced: Options['unpriced'];
  readonly default_output_tokens: number;
  readonly counters: Counters;
  readonly clock: Clock;
}

/** Reserves the estimated cost of a run before it begins, and settles the actual cost when the run ends. */
export class Budget {
  readonly #parts: BudgetParts;

  constructor(parts: BudgetParts) {
    this.#parts = parts;
  }

  /** Whether the cost of a call to this endpoint can be computed, or does not matter. */
  canPrice(endpoint: Endpoint): boolean {
    const { limits, prices, unpriced } = this.#parts;
    return unpriced === 'allow' || prices.has(endpoint) || limits.every(({ unit }) => unit !== 'usd');
  }

  /**
   * Reserves for a new or resumed run. After a pause, reservations that have expired are made again in the current period; others remain. The amount
   * covers every endpoint. If the budget is too small for that, it covers only the cheaper ones, see {@link at}.
   */
  async reserve(segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> {
    const { limits, prices, default_output_tokens, clock } = this.#parts;
    const priced = ctx.endpoints.filter((endpoint) => this.canPrice(endpoint));
    if (priced.length === 0 && ctx.endpoints.length > 0) return NO_PRICE;
    const now = clock.now();
    const held = ctx.mode === 'enforce';
    const before = readEntry(ctx.state);
    const lasting = before?.held === held && before.counts ? before : null;
    const lapsed = limitsFor(limits, ctx).filter(({ label }) => (lasting?.until[label] ?? 0) <= now);
    if (lapsed.length === 0) return WITHIN;
    const times = (before?.times ?? 0) + 1;
    const ends = Object.fromEntries(lapsed.map((limit) => [limit.label, counterOf(limit, ctx, now).ends]));
    const entry = {
      at: now,
      held,
      until: { ...lasting?.until, ...ends },
      times,
      counts: true,
      ...(lasting?.over && { over: lasting.over }),
    };
    // Stored before the reservation is made: if the guard times out first, the reservation is still dropped when the run ends.
    writeEntry(ctx.state, entry);
    const { usdAt, ...amounts } = estimate(segments, ctx, default_output_tokens, prices, now);
    let refused = WITHIN;
    for (const usd of downwards(priced.map(usdAt))) {
      const holds = holdsOf(lapsed, ctx, { ...amounts, usd }, now);
      const outcome = await this.#reserved(holds, ctx, entry);
      if (outcome.granted) {
        const over = priced.filter((endpoint) => usdAt(endpoint) > usd).map(endpointId);
        if (over.length > 0) writeEntry(ctx.state, { ...entry, over: [...(entry.over ?? []), ...over] });
        return WITHIN;
      }
      const { limit, hold } = refuser(lapsed, holds, outcome.key);
      refused = refusal(limit, { wanted: hold.amount, used: outcome.used, ends: counterOf(limit, ctx, now).ends });
      if (limit.unit !== 'usd') break;
    }
    writeEntry(ctx.state, before === null && held ? null : { ...entry, counts: !held });
    return refused;
  }

  /** Whether the run's reservation covers a call to this endpoint. */
  at({ endpoints, state }: GuardContext, endpoint: Endpoint): EndpointVerdict {
    const id = endpointId(endpoint);
    // Only the endpoints in the context have prices.
    if (!this.canPrice(endpoints.find((each) => endpointId(each) === id) ?? endpoint))
      return { verdict: 'block', code: 'no-price' };
    const isOver = readEntry(state)?.over?.includes(id) === true;
    return isOver ? { verdict: 'block', code: 'over-budget' } : { verdict: 'allow', code: 'within-budget' };
  }

  /**
   * A request counts in the period in which the run was last admitted. Tokens and USD count in the period of the model call. If the cost is partial,
   * the reservations stay until their periods end, in addition to the known cost.
   */
  settlements(ctx: GuardContext, spend: readonly Spend[], cost: Cost): CounterSettlement[] {
    const entry = readEntry(ctx.state);
    // After a crash, it is not known what was reserved.
    const kept = cost === 'partial' && entry?.held !== false;
    const parts = [
      ...(entry?.counts === true && !kept ? this.#booked(ctx, entry.at, { requests: 1, calls: 0, tokens: 0, usd: 0 }) : []),
      ...spend.flatMap(({ endpoint, usage, at }) =>
        this.#booked(ctx, at, {
          requests: 0,
          calls: 1,
          tokens: usage.input_tokens + usage.output_tokens,
          usd: this.#parts.prices.costOf(endpoint, usage, at),
        }),
      ),
    ];
    const booked = [...Map.groupBy(parts, ({ key }) => key).values()].flatMap((same) => {
      const [first] = same;
      return first === undefined ? [] : [{ ...first, amount: same.reduce((sum, { amount }) => sum + amount, 0) }];
    });
    if (booked.length === 0 && (kept || entry === null)) return [];
    // Uses a reservation id that was never used, so nothing is dropped.
    if (kept) return [{ reservation: `${reservationOf(ctx, 1)}/kept`, spend: booked }];
    return Array.from({ length: entry?.times ?? 1 }, (_, index) => ({
      reservation: reservationOf(ctx, index + 1),
      spend: index === 0 ? booked : [],
    }));
  }

  /** The amounts to add to the counters of the period that contains a time, if those counters still exist. */
  #booked(ctx: GuardContext, at: number, amounts: Readonly<Record<Unit, number>>): CounterSettlement['spend'][number][] {
    const now = this.#parts.clock.now();
    return limitsFor(this.#parts.limits, ctx).flatMap((limit) => {
      const counter = counterOf(limit, ctx, at);
      const amount = amounts[limit.unit];
      const expires_at = expiryOf(counter);
      return amount === 0 || expires_at <= now ? [] : [{ key: counter.key, amount, expires_at }];
    });
  }

  async #reserved(holds: ReturnType<typeof holdsOf>, ctx: GuardContext, { held, times }: Entry): ReturnType<Counters['reserve']> {
    return held ? this.#parts.counters.reserve(reservationOf(ctx, times), holds) : this.#wouldReserve(holds);
  }

  /** The result that a reservation would have, without making it. */
  async #wouldReserve(holds: ReturnType<typeof holdsOf>): ReturnType<Counters['reserve']> {
    const used = await this.#parts.counters.read(holds.map(({ key }) => key));
    for (const [index, { key, amount, limit }] of holds.entries()) {
      const sum = used[index] ?? 0;
      if (sum + amount > limit) return { granted: false, key, used: sum };
    }
    return { granted: true };
  }
}

/** The distinct amounts, largest first. Just 0 if there are none. */
function downwards(amounts: readonly number[]): number[] {
  return amounts.length === 0 ? [0] : [...new Set(amounts)].toSorted((a, b) => b - a);
}

/** A different id for each admission, so that a run never reserves twice under the same id. */
function reservationOf({ run_id, node }: GuardContext, time: number): string {
  return time === 1 ? `${run_id}/${node}` : `${run_id}/${node}/${time}`;
}
