import { PROVIDER_ERROR_KINDS, ProviderError, type ProviderErrorKind, type ProviderErrorOptions } from '@svc/contracts';
import { expect, it } from 'vitest';
import { callerError } from '../../kernel/kernel/src/calls/caller-error.ts';
import { mayHaveCost } from '../../kernel/kernel/src/calls/provider-failure.ts';
import { asProviderError } from '../../kernel/runtime/src/answers/as-provider-error.ts';

type Row = [ProviderErrorKind, ProviderErrorOptions, string, number, number | undefined];

const TABLE: readonly Row[] = [
  ['invalid_request', { status: 400 }, 'SVC-PROV-003', 400, undefined],
  ['invalid_request', { status: 413 }, 'SVC-PROV-003', 413, undefined],
  ['invalid_request', { status: 422 }, 'SVC-PROV-003', 422, undefined],
  ['invalid_request', {}, 'SVC-PROV-003', 400, undefined],
  // A plugin may say anything; a caller only ever sees a status that it can act on.
  ['invalid_request', { status: 200 }, 'SVC-PROV-003', 400, undefined],
  ['invalid_request', { status: 401 }, 'SVC-PROV-003', 400, undefined],
  ['rate_limited', { status: 429, retry_after_s: 7 }, 'SVC-PROV-003', 429, 7],
  ['rate_limited', {}, 'SVC-PROV-003', 429, undefined],
  ['configuration', { status: 401 }, 'SVC-PROV-003', 502, undefined],
  ['configuration', { status: 403 }, 'SVC-PROV-003', 502, undefined],
  ['configuration', { status: 404 }, 'SVC-PROV-003', 502, undefined],
  ['unavailable', { status: 500 }, 'SVC-PROV-001', 502, undefined],
  ['unavailable', { status: 503, retry_after_s: 7 }, 'SVC-PROV-001', 502, undefined],
  ['unavailable', {}, 'SVC-PROV-001', 502, undefined],
  ['malformed', {}, 'SVC-PROV-001', 502, undefined],
  ['timeout', { status: 504 }, 'SVC-PROV-002', 504, undefined],
  ['aborted', {}, 'SVC-PROV-002', 504, undefined],
  ['unsupported', { status: 400 }, 'SVC-REQ-006', 400, undefined],
  ['unsupported', { status: 413 }, 'SVC-REQ-006', 413, undefined],
  ['configuration', {}, 'SVC-PROV-009', 502, undefined],
  ['invalid_request', { code: 'context_length_exceeded', status: 413 }, 'SVC-PROV-004', 400, undefined],
  ['rate_limited', { code: 'insufficient_quota', status: 429 }, 'SVC-PROV-005', 429, undefined],
  ['configuration', { code: 'insufficient_quota', status: 400 }, 'SVC-PROV-005', 400, undefined],
  ['configuration', { code: 'billing_error', status: 402 }, 'SVC-PROV-005', 402, undefined],
  ['configuration', { code: 'model_not_found', status: 404 }, 'SVC-PROV-006', 502, undefined],
  ['configuration', { code: 'model_not_found', status: 400 }, 'SVC-PROV-006', 400, undefined],
  ['invalid_request', { code: 'content_filter', status: 400 }, 'SVC-PROV-007', 400, undefined],
  ['unavailable', { code: 'overloaded_error', status: 529, retry_after_s: 7 }, 'SVC-PROV-008', 503, 7],
];

it.each(TABLE)('%s %o is reported as %s with status %i', (kind, upstream, code, status, retry_after_s) => {
  const failure = new ProviderError(kind, { ...upstream, cause: new Error('UPSTREAM-WORDS') });
  const told = callerError(failure);
  expect(told).toMatchObject({ code, status, retry_after_s, paid: false, cause: failure });
  expect(told.message).not.toContain('UPSTREAM-WORDS');
});

it('reports how the gateway, and not the provider, refused', () => {
  const told = callerError(new ProviderError('unsupported', { status: 400, cause: 'an image without a URL' }));
  expect(told.message).not.toMatch(/provider refused/);
});

it.each<[object, object | undefined]>([
  [
    { tokens: 5, output: null, limit: 4 },
    { tokens: 5, output: null, limit: 4 },
  ],
  [{ tokens: 'CALLER', output: null, limit: 4 }, undefined],
  [{ tokens: Number.POSITIVE_INFINITY, output: null, limit: 4 }, undefined],
])('numbers of a context length are numbers: %o', (context_length, taken) => {
  const thrown = { [Symbol.for('svc.provider-error')]: true, kind: 'invalid_request', context_length };
  expect(asProviderError(thrown).context_length).toEqual(taken);
});

it('reports every kind', () => {
  expect(new Set(TABLE.map(([kind]) => kind))).toEqual(new Set(PROVIDER_ERROR_KINDS));
});

it.each([new Error('x'), new TypeError('fetch failed'), 'x', undefined, null, { kind: 'invalid_request', status: 400 }])(
  "an error outside the provider's contract (%s) counts as unavailable",
  (thrown) => {
    expect(asProviderError(thrown)).toMatchObject({ kind: 'unavailable', status: undefined, retry_after_s: undefined });
  },
);

it("a provider's own error is kept unchanged, even from another copy of the contracts", () => {
  const own = new ProviderError('rate_limited', { retry_after_s: 3 });
  expect(asProviderError(own)).toMatchObject({ kind: 'rate_limited', retry_after_s: 3 });
  const foreign = { [Symbol.for('svc.provider-error')]: true, kind: 'malformed', status: 200 };
  expect(asProviderError(foreign)).toMatchObject({ kind: 'malformed', status: 200 });
});

it.each([
  [{ kind: 'upstream said: caller text' }, { kind: 'unavailable', status: undefined }],
  [
    { kind: 'rate_limited', status: Number.NaN, retry_after_s: Number.POSITIVE_INFINITY },
    { kind: 'rate_limited', status: undefined, retry_after_s: undefined },
  ],
])("invalid fields of a provider's error are dropped: %j", (fields, taken) => {
  expect(asProviderError({ [Symbol.for('svc.provider-error')]: true, ...fields })).toMatchObject(taken);
});

it('a provider may override whether a failed call may have been billed', () => {
  expect(mayHaveCost(new ProviderError('unavailable'))).toBe(false);
  expect(mayHaveCost(asProviderError(new ProviderError('unavailable', { cost: 'unknown' })))).toBe(true);
  expect(mayHaveCost(new ProviderError('timeout'))).toBe(true);
  expect(mayHaveCost(asProviderError(new ProviderError('timeout', { cost: 'none' })))).toBe(false);
  const odd = { [Symbol.for('svc.provider-error')]: true, kind: 'timeout', cost: 'a lot' };
  expect(mayHaveCost(asProviderError(odd))).toBe(true);
});
