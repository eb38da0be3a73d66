import type { Spend } from '@svc/contracts';
import { expect, it } from 'vitest';
import { usageField } from './usage-field.ts';

const usage = { input_tokens: 3, output_tokens: 4, cached_input_tokens: 0, estimated: false };
const spend: Spend[] = [0, 1].map((at) => ({ endpoint: { provider: 'p', model: 'm', region: null }, usage, at }));

/** A guard with what it says of cost. */
function guardWith(cost?: () => number | null) {
  const reservations = { revalidate: () => expect.unreachable(), settle: () => null, ...(cost === undefined ? {} : { cost }) };
  return { guard: { reservations } };
}

it('adds up every attempt', () => {
  expect(usageField(spend, 'complete', [])).toEqual({
    usage: { input_tokens: 6, output_tokens: 8, micro_usd: null, cost: 'complete' },
  });
});

it('is nothing where no model was asked, and unknown where one may have been', () => {
  expect(usageField([], 'complete', [])).toEqual({});
  expect(usageField([], 'partial', [])).toMatchObject({ usage: { input_tokens: 0, cost: 'partial' } });
});

it('has the dollars of the first guard that knows them', () => {
  const broken = () => {
    throw new Error('no prices');
  };
  const guards = [
    guardWith(),
    guardWith(broken),
    guardWith(() => null),
    guardWith(() => -1),
    guardWith(() => 0.5),
    guardWith(() => 7),
  ];
  expect(usageField(spend, 'complete', [...guards, guardWith(() => 8)]).usage?.micro_usd).toBe(7);
});
