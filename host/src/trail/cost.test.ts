import { expect, it } from 'vitest';
import { costOfRun, costText } from './cost.ts';

const event = (event_type: string, data: Record<string, unknown>) => ({ event_type, stage: 'execute', node: 'local', data });
const call = (data: object) => event('provider_call', { outcome: 'answered', ...data });
const usage = { input_tokens: 12, output_tokens: 3 };

it.each([
  ['no call', [], 'no model was called'],
  ['a call that was skipped', [call({ outcome: 'skipped' })], 'no model was called'],
  ['a call that failed', [call({ outcome: 'timeout' })], 'no call was billed'],
  ['a model without a price', [call({ usage })], 'no price is known'],
  ['a price', [call({ usage, price: { micro_usd: 42 } })], '$0.000042'],
  [
    'a call without a price',
    [call({ usage, price: { micro_usd: 42 } }), call({ usage })],
    '$0.000042, excluding calls whose cost is unknown',
  ],
  ['a call that was interrupted', [event('interrupted', { spend: 'unknown' })], 'no price is known'],
])('a run with %s', (_, events, text) => {
  expect(costText(costOfRun(events))).toBe(text);
});

it('adds up the tokens of all calls', () => {
  expect(costOfRun([call({ usage }), call({ usage })])).toMatchObject({ calls: 2, input_tokens: 24, output_tokens: 6 });
});
