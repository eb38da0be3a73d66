import {
  allow,
  block,
  type Clock,
  type Cost,
  type CounterSettlement,
  type Counters,
  type Endpoint,
  type GuardContext,
  type GuardResult,
  type Segment,
  type Spend,
} from '@svc/sdk';
import { estimate } from './estimate.ts';
import { counterOf, expiryOf, holdsOf, type Limit, limitsFor } from './limits.ts';
import type { Options, Unit } from './options.ts';
import type { Prices } from './prices.ts';
import { refusal, refuser } from './refusal.ts';
import { readEntry, writeEntry } from './run-state.ts';

/** The answer is not checked: its cost is booked in the commit that ends the run. */
export const EGRESS = allow('booked-with-the-run');
const WITHIN = allow('within-budget');
const NO_PRICE = block('no-price', {
  hint: { text: 'Its route may call a model that has no price; only the operator can change that.' },
});

export interface BudgetParts {
  readonly limits: readonly Limit[];
  readonly prices: Prices;
  readonly unpriced: Options['unpriced'];
  readonly default_output_tokens: number;
  readonly counters: Counters;
  readonly clock: Clock;
}

/** Reserves the estimated cost of a run before it begins, and books the actual cost when it ends. */
export class Budget {
  readonly #parts: BudgetParts;

  constructor(parts: BudgetParts) {
    this.#parts = parts;
  }

  /** Whether the cost of a call to this endpoint can be computed, or need not be. */
  canPrice(endpoint: Endpoint): boolean {
    const { limits, prices, unpriced } = this.#parts;
    return unpriced === 'allow' || prices.has(endpoint) || limits.every(({ unit }) => unit !== 'usd');
  }

  /**
   * Reserves for a run, or for one that resumes. After a pause only reservations that have lapsed are made again, in the current period.
   */
  async reserve(segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> {
    const { limits, prices, default_output_tokens, counters, clock } = this.#parts;
    if (!ctx.endpoints.every((endpoint) => this.canPrice(endpoint))) return NO_PRICE;
    const now = clock.now();
    const held = ctx.mode === 'enforce';
    const before = readEntry(ctx.state);
    const lasting = before?.held === held && before.counts ? before.until : {};
    const lapsed = limitsFor(limits, ctx).filter(({ label }) => (lasting[label] ?? 0) <= now);
    if (lapsed.length === 0) return WITHIN;
    const holds = holdsOf(lapsed, ctx, estimate(segments, ctx, default_output_tokens, prices, now), now);
    const times = (before?.times ?? 0) + 1;
    const until = { ...lasting, ...Object.fromEntries(lapsed.map((limit) => [limit.label, counterOf(limit, ctx, now).ends])) };
    // Written first: if the reservation is made after this guard's timeout, it is still dropped at the end of the run.
    writeEntry(ctx.state, { at: now, held, until, times, counts: true });
    const outcome = held ? await counters.reserve(reservationOf(ctx, times), holds) : await this.#wouldReserve(holds);
    if (outcome.granted) return WITHIN;
    writeEntry(ctx.state, before === null && held ? null : { at: now, held, until, times, counts: !held });
    const { limit, hold } = refuser(lapsed, holds, outcome.key);
    return refusal(limit, { wanted: hold.amount, used: outcome.used, ends: counterOf(limit, ctx, now).ends });
  }

  /**
   * A request counts in the period in which the run was last admitted, tokens and USD in the period of the model call. If the cost is
   * partial, the reservations stay until their periods end, in addition to the known cost.
   */
  settlements(ctx: GuardContext, spend: readonly Spend[], cost: Cost): CounterSettlement[] {
    const entry = readEntry(ctx.state);
    // After a crash it is unknown what was reserved.
    const kept = cost === 'partial' && entry?.held !== false;
    const parts = [
      ...(entry?.counts === true && !kept ? this.#booked(ctx, entry.at, { requests: 1, tokens: 0, usd: 0 }) : []),
      ...spend.flatMap(({ endpoint, usage, at }) =>
        this.#booked(ctx, at, {
          requests: 0,
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
    // A reservation id that was never used drops nothing.
    if (kept) return [{ reservation: `${reservationOf(ctx, 1)}/kept`, spend: booked }];
    return Array.from({ length: entry?.times ?? 1 }, (_, index) => ({
      reservation: reservationOf(ctx, index + 1),
      spend: index === 0 ? booked : [],
    }));
  }

  /** Amounts for the counters of a time, as far as these still exist. */
  #booked(ctx: GuardContext, at: number, amounts: Readonly<Record<Unit, number>>): CounterSettlement['spend'][number][] {
    const now = this.#parts.clock.now();
    return limitsFor(this.#parts.limits, ctx).flatMap((limit) => {
      const counter = counterOf(limit, ctx, at);
      const amount = amounts[limit.unit];
      const expires_at = expiryOf(counter);
      return amount === 0 || expires_at <= now ? [] : [{ key: counter.key, amount, expires_at }];
    });
  }

  /** The result that a reservation would have; reserves nothing. */
  async #wouldReserve(holds: ReturnType<typeof holdsOf>): ReturnType<Counters['reserve']> {
    const used = await this.#parts.counters.read(holds.map(({ key }) => key));
    for (const [index, { key, amount, limit }] of holds.entries()) {
      const sum = used[index] ?? 0;
      if (sum + amount > limit) return { granted: false, key, used: sum };
    }
    return { granted: true };
  }
}

/** A different id for each admission, so that a run never reserves twice under one. */
function reservationOf({ run_id, node }: GuardContext, time: number): string {
  return time === 1 ? `${run_id}/${node}` : `${run_id}/${node}/${time}`;
}
