import type { Cost, Guard, RunRow, Spend } from '@svc/contracts';

interface Node {
  readonly guard: Pick<Guard, 'reservations'>;
}

/**
 * What the attempts of a run used, as a field of its row; none if none was made.
 * @param nodes of its route: dollars are of the first guard that has all the prices
 */
export function usageField(spend: readonly Spend[], cost: Cost, nodes: readonly Node[]): Pick<RunRow, 'usage'> {
  if (spend.length === 0 && cost === 'complete') return {};
  const usage = { input_tokens: 0, output_tokens: 0, micro_usd: microUsd(spend, nodes), cost };
  for (const { usage: used } of spend) {
    usage.input_tokens += used.input_tokens;
    usage.output_tokens += used.output_tokens;
  }
  return { usage };
}

function microUsd(spend: readonly Spend[], nodes: readonly Node[]): number | null {
  for (const { guard } of nodes) {
    try {
      const known: unknown = guard.reservations?.cost?.(spend) ?? null;
      if (Number.isSafeInteger(known) && Number(known) >= 0) return Number(known);
    } catch {
      // A report goes without it: what is enforced is settled.
    }
  }
  return null;
}
