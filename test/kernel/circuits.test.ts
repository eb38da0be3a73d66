import { ProviderError, type ProviderErrorKind, type ProviderErrorOptions } from '@svc/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { circuitCause } from '../../kernel/kernel/src/endpoints/circuit-cause.ts';
import { Circuits } from '../../kernel/kernel/src/endpoints/circuits.ts';
import { asProviderError } from '../../kernel/runtime/src/answers/as-provider-error.ts';

const endpoint = { provider: 'p', model: 'm', region: null };
let time: number;
let told: string[];
let circuits: Circuits;
beforeEach(() => {
  time = 1_000;
  told = [];
  const circuit = (_endpoint: unknown, cause: string, open: boolean): void => void told.push(`${cause} ${open}`);
  circuits = new Circuits({ now: () => time, monotonic: () => time }, { circuit });
});
const fail = (times: number, kind: ProviderErrorKind = 'unavailable', options: ProviderErrorOptions = {}) => {
  for (let done = 0; done < times; done += 1)
    circuits.ended(endpoint, { kind: 'failed', failure: new ProviderError(kind, options), fallback: true });
};

it('opens after five consecutive failures, only for its endpoint', () => {
  fail(4);
  expect(circuits.isOpen(endpoint)).toBe(false);
  fail(1, 'timeout');
  expect(circuits.isOpen(endpoint)).toBe(true);
  expect(circuits.isOpen({ ...endpoint, model: 'other' })).toBe(false);
  expect(told).toEqual(['failures true']);
});

it('counts from zero after a successful call', () => {
  fail(4);
  circuits.ended(endpoint, { kind: 'answered' });
  fail(4);
  expect(circuits.isOpen(endpoint)).toBe(false);
});

it.each(['aborted', 'invalid_request', 'unsupported', 'rate_limited', 'malformed'] as const)('is not opened by %s', (kind) => {
  fail(9, kind);
  expect(circuits.isOpen(endpoint)).toBe(false);
});

it("is not opened by an error outside the provider's contract", () => {
  // The record of a call reads again what a stream has read.
  const failure = asProviderError(asProviderError(new TypeError('no function')));
  for (let done = 0; done < 9; done += 1) circuits.ended(endpoint, { kind: 'failed', failure, fallback: true });
  expect(circuits.isOpen(endpoint)).toBe(false);
});

it('when its time is over, one run at a time tries the endpoint', () => {
  fail(5);
  time += 10_000;
  expect([circuits.isOpen(endpoint), circuits.isOpen(endpoint)]).toEqual([false, true]);
  fail(1);
  expect(circuits.isOpen(endpoint)).toBe(true);
  time += 10_000;
  expect(circuits.isOpen(endpoint)).toBe(false);
  circuits.ended(endpoint, { kind: 'answered' });
  expect(circuits.isOpen(endpoint)).toBe(false);
  expect(told).toEqual(['failures true', 'failures false']);
});

it('is opened by web pages instead of answers', () => {
  fail(5, 'malformed', { cost: 'none' });
  expect(circuits.isOpen(endpoint)).toBe(true);
});

describe('of an endpoint that refuses', () => {
  const refuse = (options: ProviderErrorOptions = { status: 401 }) => fail(1, 'configuration', options);

  it('opens at once, for longer, and is reported once', () => {
    refuse();
    time += 59_999;
    expect(circuits.isOpen(endpoint)).toBe(true);
    time += 1;
    expect([circuits.isOpen(endpoint), circuits.isOpen(endpoint)]).toEqual([false, true]);
    refuse();
    time += 59_999;
    expect(circuits.isOpen(endpoint)).toBe(true);
    expect(told).toEqual(['key true']);
  });

  it('closes after the first success', () => {
    refuse();
    time += 60_000;
    circuits.isOpen(endpoint);
    circuits.ended(endpoint, { kind: 'answered' });
    expect(circuits.isOpen(endpoint)).toBe(false);
    expect(told).toEqual(['key true', 'key false']);
  });

  it('is open for one reason at a time', () => {
    refuse();
    refuse({ status: 402 });
    fail(1);
    expect(told).toEqual(['key true', 'key false', 'credit true', 'credit false']);
    expect(circuits.isOpen(endpoint)).toBe(false);
  });

  it('closes with all others when another configuration becomes active', () => {
    refuse();
    fail(4);
    circuits.reset();
    expect(circuits.isOpen(endpoint)).toBe(false);
    fail(4);
    expect(told).toEqual(['key true', 'key false']);
  });
});

it.each<[ProviderErrorKind, ProviderErrorOptions, string | null]>([
  ['configuration', { status: 401 }, 'key'],
  ['configuration', { status: 400, code: 'authentication_error' }, 'key'],
  ['configuration', { code: 'authentication_error' }, 'key'],
  ['configuration', { status: 403 }, 'access'],
  ['configuration', { status: 402 }, 'credit'],
  ['configuration', { status: 400, code: 'insufficient_quota' }, 'credit'],
  ['rate_limited', { status: 429, code: 'billing_hard_limit_reached' }, 'credit'],
  ['rate_limited', { status: 429, retry_after_s: 60 }, null],
  ['configuration', { status: 404 }, 'not_found'],
  ['configuration', { status: 400, code: 'model_not_found' }, 'not_found'],
  ['configuration', { status: 308 }, 'not_found'],
  ['configuration', { status: 418 }, null],
  ['configuration', {}, null],
  ['unavailable', { status: 409 }, null],
  ['unavailable', { status: 529 }, 'failures'],
  ['timeout', { status: 408 }, 'failures'],
  ['invalid_request', { status: 400, code: 'context_length_exceeded' }, null],
])('%s %o means %s against an endpoint', (kind, options, cause) => {
  expect(circuitCause(new ProviderError(kind, options))).toBe(cause);
});

it('a pattern has one circuit, whichever models callers name, and unknown models do not open it', () => {
  const asked = (model: string) => ({ ...endpoint, model, pattern: 'm-*' });
  const ended = (model: string, status: number) =>
    circuits.ended(asked(model), { kind: 'failed', failure: new ProviderError('configuration', { status }), fallback: true });
  ended('m-none', 404);
  ended('m-not-ours', 403);
  expect(circuits.isOpen(asked('m-1'))).toBe(false);
  ended('m-1', 401);
  expect(circuits.isOpen(asked('m-2'))).toBe(true);
  expect(told).toEqual(['key true']);
});
