import { block, type GuardResult } from '@svc/sdk';
import type { CounterHold } from '@svc/sdk/guard';
import type { Limit } from './limits.ts';
import type { Scope, Unit } from './options.ts';

/** A refused reservation: the amount wanted, the amount used, and the first millisecond after the period. */
interface Refused {
  readonly wanted: number;
  readonly used: number;
  readonly ends: number;
}

/** Blocks a run that exceeds a limit. The hint says how much is left and when the limit is renewed. */
export function refusal(limit: Limit, refused: Refused): GuardResult {
  const { amount, label, period } = limit;
  // A session has no next period.
  const never = refused.wanted > amount || period === 'session';
  const text = sentences(limit, refused);
  return block(`over-${label}`, {
    findings: [{ entity_type: label, count: 1 }],
    // A request larger than the limit itself never fits.
    hint: never ? { text } : { text, retry_at: refused.ends },
  });
}

const LIMIT_OF: Readonly<Record<Scope, string>> = {
  principal: 'Your limit',
  team: 'The limit of your team',
  route: 'The limit of this route',
  session: 'The limit of this session',
  global: 'The limit for all callers together',
};

function sentences({ unit, scope, period, amount }: Limit, { wanted, used, ends }: Refused): string {
  const is = `${LIMIT_OF[scope]} is ${shown(unit, amount)} per ${period}`;
  if (amount === 0) return `${is}, so every request is blocked; ask the operator to raise it.`;
  const left = Math.max(0, amount - used);
  if (period === 'session')
    return `${LIMIT_OF[scope]} is ${shown(unit, amount)}; ${shown(unit, left)} ${left === 1 && unit !== 'usd' ? 'is' : 'are'} left, and this request may need ${shown(unit, wanted)}. Start another session.`;
  const renews = new Date(ends).toISOString().replace('.000Z', 'Z');
  const now = `${is}; ${shown(unit, left)} ${left === 1 && unit !== 'usd' ? 'is' : 'are'} left until it renews at ${renews}.`;
  const need = `This request may need ${shown(unit, wanted)}`;
  if (wanted > amount) return `${now} ${need}, more than the whole limit: send less, or set a lower max_completion_tokens.`;
  return left === 0 ? `${now} Try again then.` : `${now} ${need}: request less, or try again then.`;
}

function shown(unit: Unit, amount: number): string {
  switch (unit) {
    case 'usd':
      return `${amount / 1_000_000} USD`;
    case 'tokens':
      return amount === 1 ? '1 token' : `${amount} tokens`;
    case 'requests':
      return amount === 1 ? '1 request' : `${amount} requests`;
    case 'calls':
      return amount === 1 ? '1 model call' : `${amount} model calls`;
  }
}

/** The limit that refused the run, and the requested amount. */
export function refuser(
  limits: readonly Limit[],
  holds: readonly CounterHold[],
  key: string,
): { limit: Limit; hold: CounterHold } {
  const index = holds.findIndex((hold) => hold.key === key);
  const [limit, hold] = [limits[index], holds[index]];
  if (limit === undefined || hold === undefined) throw new Error('the store refused a counter that was not in the reservation');
  return { limit, hold };
}
