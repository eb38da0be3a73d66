import {
  allow,
  block,
  type Clock,
  type Cost,
  type CounterSettlement,
  type Counters,
  type GuardContext,
  type GuardResult,
  type Segment,
  type Spend,
} from '@svc/sdk';
import { estimate } from './estimate.ts';
import { counterOf, expiryOf, holdsOf, type Limit } from './limits.ts';
import type { Unit } from './options.ts';
import type { Prices } from './prices.ts';
import { refusal, refuser } from './refusal.ts';
import { readEntry, writeEntry } from './run-state.ts';

/** Of the answer there is nothing to judge: what it cost is booked in the commit that ends the run. */
export const EGRESS = allow('booked-with-the-run');
const WITHIN = allow('within-budget');
const NO_PRICE = block('no-price', {
  hint: { text: 'Its route may call a model that has no price; only the operator can change that.' },
});

export interface BudgetParts {
  readonly limits: readonly Limit[];
  readonly prices: Prices;
  readonly default_output_tokens: number;
  readonly counters: Counters;
  readonly clock: Clock;
}

/** Reserves what a run may come to before it begins, and books what it came to when it ends. */
export class Budget {
  readonly #parts: BudgetParts;

  constructor(parts: BudgetParts) {
    this.#parts = parts;
  }

  /** Whether a run that may call this model can be reckoned up. */
  canPrice(model: string): boolean {
    const { limits, prices } = this.#parts;
    return prices.has(model) || limits.every(({ unit }) => unit !== 'usd');
  }

  /**
   * Lets a run in, or in again: after a pause only what has lapsed meanwhile is reserved anew, in the period that it is then.
   */
  async reserve(segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> {
    const { limits, prices, default_output_tokens, counters, clock } = this.#parts;
    if (!ctx.endpoints.every(({ model }) => this.canPrice(model))) return NO_PRICE;
    const now = clock.now();
    const held = ctx.mode === 'enforce';
    const before = readEntry(ctx.state);
    const lasting = before?.held === held && before.counts ? before.until : {};
    const lapsed = limits.filter(({ label }) => (lasting[label] ?? 0) <= now);
    if (lapsed.length === 0) return WITHIN;
    const holds = holdsOf(lapsed, ctx, estimate(segments, ctx, default_output_tokens, prices), now);
    const times = (before?.times ?? 0) + 1;
    const until = { ...lasting, ...Object.fromEntries(lapsed.map((limit) => [limit.label, counterOf(limit, ctx, now).ends])) };
    // Before it is done: a reservation that comes after this guard's time is up is dropped at the end of the run too.
    writeEntry(ctx.state, { at: now, held, until, times, counts: true });
    const outcome = held ? await counters.reserve(reservationOf(ctx, times), holds) : await this.#wouldReserve(holds);
    if (outcome.granted) return WITHIN;
    writeEntry(ctx.state, before === null && held ? null : { at: now, held, until, times, counts: !held });
    const { limit, hold } = refuser(lapsed, holds, outcome.key);
    return refusal(limit, { wanted: hold.amount, used: outcome.used, ends: counterOf(limit, ctx, now).ends });
  }

  /**
   * A request counts in the period in which it was last let in, tokens and USD in the one in which the model was paid. Where nobody knows
   * what a run cost, its reservations stay until their periods end, beside what is known.
   */
  settlements(ctx: GuardContext, spend: readonly Spend[], cost: Cost): CounterSettlement[] {
    const entry = readEntry(ctx.state);
    // After a crash nobody knows what was held.
    const kept = cost === 'partial' && entry?.held !== false;
    const parts = [
      ...(entry?.counts === true && !kept ? this.#booked(ctx, entry.at, { requests: 1, tokens: 0, usd: 0 }) : []),
      ...spend.flatMap(({ endpoint, usage, at }) =>
        this.#booked(ctx, at, {
          requests: 0,
          tokens: usage.input_tokens + usage.output_tokens,
          usd: this.#parts.prices.costOf(endpoint.model, usage),
        }),
      ),
    ];
    const booked = [...Map.groupBy(parts, ({ key }) => key).values()].flatMap((same) => {
      const [first] = same;
      return first === undefined ? [] : [{ ...first, amount: same.reduce((sum, { amount }) => sum + amount, 0) }];
    });
    if (booked.length === 0 && (kept || entry === null)) return [];
    // An id that nobody reserved by drops nothing.
    if (kept) return [{ reservation: `${reservationOf(ctx, 1)}/kept`, spend: booked }];
    return Array.from({ length: entry?.times ?? 1 }, (_, index) => ({
      reservation: reservationOf(ctx, index + 1),
      spend: index === 0 ? booked : [],
    }));
  }

  /** Amounts on the counters of a moment, as far as these are still counted. */
  #booked(ctx: GuardContext, at: number, amounts: Readonly<Record<Unit, number>>): CounterSettlement['spend'][number][] {
    const now = this.#parts.clock.now();
    return this.#parts.limits.flatMap((limit) => {
      const counter = counterOf(limit, ctx, at);
      const amount = amounts[limit.unit];
      const expires_at = expiryOf(counter);
      return amount === 0 || expires_at <= now ? [] : [{ key: counter.key, amount, expires_at }];
    });
  }

  /** What a reservation would be answered, holding nothing. */
  async #wouldReserve(holds: ReturnType<typeof holdsOf>): ReturnType<Counters['reserve']> {
    const used = await this.#parts.counters.read(holds.map(({ key }) => key));
    for (const [index, { key, amount, limit }] of holds.entries()) {
      const sum = used[index] ?? 0;
      if (sum + amount > limit) return { granted: false, key, used: sum };
    }
    return { granted: true };
  }
}

/** One for each time that a run is let in by a node, so that it never holds twice. */
function reservationOf({ run_id, node }: GuardContext, time: number): string {
  return time === 1 ? `${run_id}/${node}` : `${run_id}/${node}/${time}`;
}
