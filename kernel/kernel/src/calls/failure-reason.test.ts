import { ProviderError } from '@svc/contracts';
import { expect, it } from 'vitest';
import { failureReason } from './failure-reason.ts';

it.each([
  [new ProviderError('unavailable', { cause: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new ProviderError('unavailable', { cause: new Error('x', { cause: { code: 'ENOTFOUND' } }) }), 'ENOTFOUND'],
  [new ProviderError('unavailable', { cause: 'my password is hunter2' }), null],
  [new ProviderError('unavailable', { cause: { code: 'said by an upstream' } }), null],
  [new ProviderError('unavailable'), null],
  ['text', null],
  [null, null],
])('%s has %s', (error, reason) => {
  expect(failureReason(error)).toBe(reason);
});

it('ends even if a chain of causes contains itself', () => {
  const error = new Error('x');
  error.cause = error;
  expect(failureReason(error)).toBeNull();
});
