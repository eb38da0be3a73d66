import type { GuardReservations, Rates } from '@svc/contracts';
import { expect, it } from 'vitest';
import { withPriceOf } from './with-price.ts';

const price = { source: 'catalogue', version: '1', rates: [{ input: 9, output: 9 }] } as const;
const endpoint = { provider: 'p', model: 'm', region: null, price };

function node(rates?: GuardReservations['rates']) {
  const reservations = { revalidate: () => expect.unreachable(), settle: () => null, ...(rates === undefined ? {} : { rates }) };
  return { guard: { reservations } };
}

it('is the price of the first guard that has one', () => {
  const broken = node(() => {
    throw new Error('no prices');
  });
  const wrong = node(() => ({ input: -1, output: 1 }));
  const nodes = [{ guard: {} }, node(), broken, wrong, node(() => null), node(() => ({ input: 1, output: 2 }))];
  const other: Rates = { input: 5, output: 5 };
  expect(withPriceOf(endpoint, [...nodes, node(() => other)]).price).toEqual({
    source: 'configuration',
    rates: [{ input: 1, output: 2 }],
  });
});

it('does not change if no guard has a price', () => {
  expect(withPriceOf(endpoint, [node(() => null)])).toBe(endpoint);
});
