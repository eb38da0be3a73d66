import { expect, test } from 'vitest';
import { headersOf } from './headers.ts';
import { REQUEST } from './provider-fixture.ts';

const OPTIONS = { anthropic_version: '2023-06-01', anthropic_beta: ['always-2025-01-01'] };
const headers = (fields: object, options = OPTIONS) => headersOf({ ...REQUEST, ...fields }, options);

test('contain the version, and the betas of the provider and the request', () => {
  const version = { 'anthropic-version': '2023-06-01' };
  expect(headers({})).toEqual({ headers: { ...version, 'anthropic-beta': 'always-2025-01-01' }, unsupported: [] });
  expect(headers({}, { ...OPTIONS, anthropic_beta: [] })).toEqual({ headers: version, unsupported: [] });
  const asked = { anthropic_version: '2027-01-02', anthropic_beta: ['b-1', 'always-2025-01-01'] };
  expect(headers(asked).headers).toEqual({ ...version, 'anthropic-beta': 'always-2025-01-01,b-1' });
  expect(headers({ anthropic_beta: 'b-1, b-2' }).headers['anthropic-beta']).toBe('always-2025-01-01,b-1,b-2');
});

test.each(['a b', 'a\r\nx-other: 1', 'é', '<MASKED>', {}])('contain no invalid beta: %j', (text) => {
  expect(headers({ anthropic_beta: ['b-1', text] })).toEqual({
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'always-2025-01-01,b-1' },
    unsupported: ['anthropic_beta'],
  });
});
