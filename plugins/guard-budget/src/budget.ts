import type { Account, Clock, CounterSettlement, Counters, GuardContext, GuardResult, Segment, Spend } from '@svc/sdk/plugin';
import { estimate } from './estimate.ts';
import { counterOf, expiryOf, holdsOf, type Limit } from './limits.ts';
import type { Unit } from './options.ts';
import type { Prices } from './prices.ts';
import { refusal, refuser } from './refusal.ts';
import { readEntry, writeEntry } from './run-state.ts';

const ALLOWED = { verdict: 'allow', edits: [], findings: [] } as const;
/** Of the answer there is nothing to judge: what it cost is booked in the commit that ends the run. */
export const EGRESS: GuardResult = { ...ALLOWED, code: 'booked-with-the-run' };
const WITHIN: GuardResult = { ...ALLOWED, code: 'within-budget' };
const NO_PRICE: GuardResult = {
  verdict: 'block',
  code: 'no-price',
  edits: [],
  findings: [],
  hint: { text: 'Its route may call a model that has no price; only the operator can change that.' },
};

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

  async letIn(segments: readonly Segment[], ctx: GuardContext): Promise<GuardResult> {
    const { limits, prices, default_output_tokens, counters, clock } = this.#parts;
    if (!ctx.endpoints.every(({ model }) => this.canPrice(model))) return NO_PRICE;
    const now = clock.now();
    const before = readEntry(ctx.state);
    // Asked again for the same run, since its route changed while it was paused: what it holds is enough while it lasts.
    if (before !== null && before.held === (ctx.mode === 'enforce') && !this.#lapsed(ctx, before.at, now)) return WITHIN;
    const holds = holdsOf(limits, ctx, estimate(segments, ctx, default_output_tokens, prices), now);
    const held = ctx.mode === 'enforce';
    // Before it is done: a reservation that comes after this guard's time is up is dropped at the end of the run too.
    writeEntry(ctx.state, { at: now, held });
    const outcome = held ? await counters.reserve(reservationOf(ctx), holds) : await this.#wouldReserve(holds);
    if (outcome.granted) return WITHIN;
    if (held) writeEntry(ctx.state, null);
    const { limit, hold } = refuser(limits, holds, outcome.key);
    return refusal(limit, { wanted: hold.amount, used: outcome.used, ends: counterOf(limit, ctx, now).ends });
  }

  /**
   * A request counts in the period in which it was let in, tokens and USD in the one in which they are booked. Where nobody knows what
   * a run cost, its reservation stays until its period ends, beside what is known.
   */
  settlement(ctx: GuardContext, spend: readonly Spend[], account: Account): CounterSettlement | null {
    const now = this.#parts.clock.now();
    const entry = readEntry(ctx.state);
    const kept = account === 'partial' && entry?.held === true;
    const amounts = this.#amountsOf(spend, entry !== null && !kept);
    const booked = this.#parts.limits.flatMap((limit) => {
      const counter = counterOf(limit, ctx, limit.unit === 'requests' ? (entry?.at ?? now) : now);
      const amount = amounts[limit.unit];
      const expires_at = expiryOf(counter);
      return amount === 0 || expires_at <= now ? [] : [{ key: counter.key, amount, expires_at }];
    });
    if (booked.length === 0 && (kept || entry === null)) return null;
    // An id that nobody reserved by drops nothing.
    return { reservation: kept ? `${reservationOf(ctx)}/kept` : reservationOf(ctx), spend: booked };
  }

  #amountsOf(spend: readonly Spend[], counts: boolean): Record<Unit, number> {
    const amounts = { requests: counts ? 1 : 0, tokens: 0, usd: 0 };
    for (const { endpoint, usage } of spend) {
      amounts.tokens += usage.input_tokens + usage.output_tokens;
      amounts.usd += this.#parts.prices.costOf(endpoint.model, usage);
    }
    return amounts;
  }

  #lapsed(ctx: GuardContext, at: number, now: number): boolean {
    return this.#parts.limits.every((limit) => counterOf(limit, ctx, at).ends <= now);
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

/** One for each run and node, so that a run never holds twice. */
function reservationOf({ run_id, node }: GuardContext): string {
  return `${run_id}/${node}`;
}
