import type { CounterHold, GuardResult } from '@svc/sdk/plugin';
import type { Limit } from './limits.ts';
import type { Scope, Unit } from './options.ts';

/** How a limit refused: what a run wanted of it, what is used, and the first millisecond after its period. */
interface Refused {
  readonly wanted: number;
  readonly used: number;
  readonly ends: number;
}

/** The block of a run for which a limit has not enough left. It tells the caller how much that is and when there is more. */
export function refusal({ unit, scope, period, amount, label }: Limit, { wanted, used, ends }: Refused): GuardResult {
  const left = Math.max(0, amount - used);
  const never = wanted > amount;
  const renews = new Date(ends).toISOString().replace('.000Z', 'Z');
  const text = [
    `Of ${shown(unit, amount)} per ${period} ${FOR[scope]} ${shown(unit, left)} are left; this request may need ${shown(unit, wanted)}.`,
    never
      ? 'That is more than there ever is: send less, or set a lower max_completion_tokens.'
      : `There is more from ${renews} on.`,
  ].join(' ');
  return {
    verdict: 'block',
    code: `over-${label}`,
    edits: [],
    findings: [{ entity_type: label, count: 1 }],
    hint: never ? { text } : { text, retry_at: ends },
  };
}

const FOR: Readonly<Record<Scope, string>> = { principal: 'for you', route: 'for this route', global: 'for all' };

function shown(unit: Unit, amount: number): string {
  return unit === 'usd' ? `${amount / 1_000_000} USD` : `${amount} ${unit}`;
}

/** The limit that refused, and what it would have held. */
export function refuser(
  limits: readonly Limit[],
  holds: readonly CounterHold[],
  key: string,
): { limit: Limit; hold: CounterHold } {
  const index = holds.findIndex((hold) => hold.key === key);
  const [limit, hold] = [limits[index], holds[index]];
  if (limit === undefined || hold === undefined) throw new Error('a counter refused that was not asked');
  return { limit, hold };
}

/** @see Guard.unfit */
export function withoutPrice(node: string, model: string): string {
  return `there is no price for the model ${model.slice(0, 100)}: add it to packs.${node}.prices, as { input, output } in USD per million tokens`;
}
