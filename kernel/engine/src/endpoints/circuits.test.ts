import { ProviderError, type ProviderErrorKind } from '@svc/contracts';
import { beforeEach, expect, it } from 'vitest';
import { asProviderError } from '../calls/provider-failure.ts';
import { Circuits } from './circuits.ts';

const endpoint = { provider: 'p', model: 'm', region: null };
let time: number;
let told: string[];
let circuits: Circuits;
beforeEach(() => {
  time = 1_000;
  told = [];
  circuits = new Circuits({ now: () => time, monotonic: () => time }, { circuit: (_endpoint, cause, open) => told.push(open ? cause : 'closed') });
});
const fail = (times: number, kind: ProviderErrorKind = 'unavailable') => {
  for (let done = 0; done < times; done += 1)
    circuits.ended(endpoint, { kind: 'failed', failure: new ProviderError(kind), fallback: true });
};

it('opens after five failures on end, for its endpoint alone', () => {
  fail(4);
  expect(circuits.isOpen(endpoint)).toBe(false);
  fail(1, 'timeout');
  expect(circuits.isOpen(endpoint)).toBe(true);
  expect(circuits.isOpen({ ...endpoint, model: 'other' })).toBe(false);
  expect(told).toEqual(['failures']);
});

it('counts anew after a call that went well', () => {
  fail(4);
  circuits.ended(endpoint, { kind: 'answered' });
  fail(4);
  expect(circuits.isOpen(endpoint)).toBe(false);
});

it.each(['aborted', 'invalid_request', 'configuration', 'rate_limited', 'malformed'] as const)('is not opened by %s', (kind) => {
  fail(9, kind);
  expect(circuits.isOpen(endpoint)).toBe(false);
});

it('is not opened by what a provider should not have thrown', () => {
  // The record of a call reads again what a stream has read.
  const failure = asProviderError(asProviderError(new TypeError('no function')));
  for (let done = 0; done < 9; done += 1) circuits.ended(endpoint, { kind: 'failed', failure, fallback: true });
  expect(circuits.isOpen(endpoint)).toBe(false);
});

it('lets one run at a time try when its time is over', () => {
  fail(5);
  time += 10_000;
  expect([circuits.isOpen(endpoint), circuits.isOpen(endpoint)]).toEqual([false, true]);
  fail(1);
  expect(circuits.isOpen(endpoint)).toBe(true);
  time += 10_000;
  expect(circuits.isOpen(endpoint)).toBe(false);
  circuits.ended(endpoint, { kind: 'answered' });
  expect(circuits.isOpen(endpoint)).toBe(false);
  expect(told).toEqual(['failures', 'closed']);
});

it('is opened by pages in place of answers', () => {
  for (let done = 0; done < 5; done += 1)
    circuits.ended(endpoint, { kind: 'failed', failure: new ProviderError('malformed', { cost: 'none' }), fallback: true });
  expect(circuits.isOpen(endpoint)).toBe(true);
});
