import { configuredPrice, type Endpoint, type Guard, Rates } from '@svc/contracts';
import { Value } from 'typebox/value';

interface Node {
  readonly guard: Pick<Guard, 'reservations'>;
}

/** An endpoint with the price of the first guard that has one for it. Unchanged if there is none. @param nodes nodes of its route */
export function withPriceOf<T extends Endpoint>(endpoint: T, nodes: Iterable<Node>): T {
  for (const { guard } of nodes) {
    const rates = ratesOf(guard, endpoint);
    if (rates !== null) return { ...endpoint, price: configuredPrice(rates) };
  }
  return endpoint;
}

/** Also null if the guard fails here. Lint reports where prices are required. */
function ratesOf({ reservations }: Node['guard'], endpoint: Endpoint): Rates | null {
  try {
    const rates: unknown = reservations?.rates?.(endpoint) ?? null;
    return Value.Check(Rates, rates) ? rates : null;
  } catch {
    return null;
  }
}
