import type { RunReport } from '@svc/kernel/observing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handClock } from '../http/test-keys.ts';
import { type RateLimit, RateLimits } from './rate-limits.ts';

const NONE = { requests_per_minute: null, tokens_per_minute: null, concurrent: null };
const ALICE = { key: null, principal: 'alice', team: 'blue', route: 'default', session: null };
const nothing = () => 0;

function limitsOf(...limits: readonly (Pick<RateLimit, 'subject' | 'name'> & Partial<RateLimit>)[]) {
  const clock = handClock();
  const rates = new RateLimits(
    limits.map((limit) => ({ ...NONE, ...limit })),
    clock,
  );
  return { clock, rates };
}

/** The report of a run of ALICE that used this many tokens. */
function reportOf(tokens: number): RunReport {
  const usage = { input_tokens: tokens, output_tokens: 0, cached_input_tokens: 0, estimated: false };
  const call = { usage } as RunReport['calls'][number];
  const { principal: principal_id, team, key: key_id, route } = ALICE;
  const rest = {
    status: 'completed',
    streamed: false,
    started_at: 0,
    duration_ms: 0,
    reader_ms: 0,
    nodes: [],
    micro_usd: null,
    traceparent: null,
  } as const;
  return {
    run_id: 'run',
    route,
    caller: { principal_id, team, key_id, session: null, client: null, user: null },
    calls: [call],
    ...rest,
  };
}

describe('requests a minute', () => {
  it('are granted at once up to the limit, then evenly', () => {
    const { clock, rates } = limitsOf({ subject: 'principal', name: 'alice', requests_per_minute: 60 });
    for (let left = 59; left >= 0; left -= 1)
      expect(rates.admit(ALICE, nothing)).toMatchObject({
        refused: null,
        standing: { requests: { limit: 60, remaining: left } },
      });
    expect(rates.admit(ALICE, nothing).refused).toEqual({ subject: 'principal', unit: 'requests', limit: 60, retry_ms: 1000 });
    clock.advance(999);
    expect(rates.admit(ALICE, nothing).refused).toMatchObject({ retry_ms: 1 });
    clock.advance(1);
    expect(rates.admit(ALICE, nothing)).toMatchObject({
      refused: null,
      standing: { requests: { remaining: 0, reset_ms: 60_000 } },
    });
  });

  it('never exceed the limit in any period, and never stay below it', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), waits, (limit, asked) => {
        const { clock, rates } = limitsOf({ subject: 'team', name: '*', requests_per_minute: limit });
        let granted = 0;
        let time = 0;
        for (const wait of asked) {
          clock.advance(wait);
          time += wait;
          const { refused } = rates.admit(ALICE, nothing);
          if (refused === null) granted += 1;
          else {
            clock.advance(refused.retry_ms);
            time += refused.retry_ms;
            expect(rates.admit(ALICE, nothing).refused).toBeNull();
            granted += 1;
          }
          expect(granted).toBeLessThanOrEqual(limit + (time * limit) / 60_000 + 1e-6);
        }
      }),
    );
  });
});

describe('tokens a minute', () => {
  it('are reserved by an estimate, and charged as used', () => {
    const { clock, rates } = limitsOf({ subject: 'route', name: 'default', tokens_per_minute: 600 });
    const { standing, release } = rates.admit(ALICE, () => 100);
    expect(standing.tokens).toEqual({ limit: 600, remaining: 500, reset_ms: 10_000 });
    rates.settled(reportOf(900));
    release('complete');
    expect(rates.admit(ALICE, () => 1).refused).toEqual({ subject: 'route', unit: 'tokens', limit: 600, retry_ms: 30_100 });
    clock.advance(30_100);
    expect(rates.admit(ALICE, () => 1).refused).toBeNull();
  });

  it('of a prompt that is longer than estimated are reserved too', () => {
    const { rates } = limitsOf({ subject: 'route', name: 'default', tokens_per_minute: 600 });
    const { hold, release } = rates.admit(ALICE, () => 100);
    hold(() => 400);
    expect(rates.admit(ALICE, nothing).standing.tokens?.remaining).toBe(100);
    release('complete');
    expect(rates.admit(ALICE, nothing).standing.tokens?.remaining).toBe(600);
  });

  it('of work outside a run are charged', () => {
    const { rates } = limitsOf({ subject: 'principal', name: 'alice', tokens_per_minute: 600 });
    rates.charge({ ...ALICE, route: null }, 600);
    expect(rates.admit(ALICE, nothing).refused).toMatchObject({ unit: 'tokens' });
  });

  it('that were not used are returned', () => {
    const { rates } = limitsOf({ subject: 'route', name: 'default', tokens_per_minute: 600 });
    rates.admit(ALICE, () => 500).release('complete');
    expect(rates.admit(ALICE, nothing).standing.tokens?.remaining).toBe(600);
  });

  it('that were not counted are charged by the estimate', () => {
    const { rates } = limitsOf({ subject: 'route', name: 'default', tokens_per_minute: 600, concurrent: 1 });
    rates.admit(ALICE, () => 500).release('partial');
    expect(rates.admit(ALICE, nothing)).toMatchObject({ refused: null, standing: { tokens: { remaining: 100 } } });
  });

  it('are charged for runs whose caller has left', () => {
    const { rates } = limitsOf({ subject: 'team', name: 'blue', tokens_per_minute: 600 });
    rates.settled(reportOf(600));
    expect(rates.admit(ALICE, nothing).refused).toMatchObject({ unit: 'tokens' });
  });

  it('are not estimated if no limit needs them', () => {
    const { rates } = limitsOf({ subject: 'route', name: '*', requests_per_minute: 5 });
    const estimate = () => expect.unreachable();
    expect(rates.admit(ALICE, estimate).standing.tokens).toBeNull();
  });
});

describe('concurrent requests', () => {
  it('become available when one ends', () => {
    const { rates } = limitsOf({ subject: 'principal', name: '*', concurrent: 2 });
    const first = rates.admit(ALICE, nothing);
    rates.admit(ALICE, nothing);
    expect(rates.admit(ALICE, nothing).refused).toMatchObject({ unit: 'concurrent', limit: 2 });
    expect(rates.admit({ ...ALICE, principal: 'bob' }, nothing).refused).toBeNull();
    first.release('complete');
    expect(rates.admit(ALICE, nothing).refused).toBeNull();
  });
});

it('all applicable limits count, and a refusal by one of them uses nothing of the others', () => {
  const { rates } = limitsOf(
    { subject: 'principal', name: '*', requests_per_minute: 10 },
    { subject: 'route', name: '*', requests_per_minute: 1, concurrent: 5 },
  );
  expect(rates.admit(ALICE, nothing).standing.requests).toMatchObject({ limit: 1, remaining: 0 });
  for (let turn = 0; turn < 20; turn += 1) expect(rates.admit(ALICE, nothing).refused).toMatchObject({ subject: 'route' });
  const other = { ...ALICE, route: 'other' };
  expect(rates.admit({ ...other, principal: 'bob' }, nothing).refused).toBeNull();
  for (let left = 8; left >= 0; left -= 1) {
    const admitted = rates.admit({ ...ALICE, route: `r${left}` }, nothing);
    expect(admitted.refused).toBeNull();
  }
  expect(rates.admit({ ...ALICE, route: 'last' }, nothing).refused).toMatchObject({ subject: 'principal' });
});

it('a named entry replaces the general one, and limits for teams or keys do not apply to callers without them', () => {
  const { rates } = limitsOf(
    { subject: 'principal', name: '*', requests_per_minute: 1 },
    { subject: 'principal', name: 'alice', requests_per_minute: 3 },
    { subject: 'key', name: '*', requests_per_minute: 1 },
    { subject: 'team', name: '*', requests_per_minute: 2 },
  );
  const nobody = { ...ALICE, team: null };
  expect(rates.admit(nobody, nothing).standing.requests).toMatchObject({ limit: 3 });
  expect(rates.admit({ ...ALICE, principal: 'bob' }, nothing).standing.requests).toMatchObject({ limit: 1 });
  expect(rates.admit({ ...ALICE, key: 'k' }, nothing).standing.requests).toMatchObject({ limit: 1, remaining: 0 });
});

it('names that are in use are not affected by any number of other names', () => {
  const { rates } = limitsOf({ subject: 'principal', name: '*', requests_per_minute: 1 });
  const refused = () => rates.admit(ALICE, nothing).refused;
  expect(refused()).toBeNull();
  for (let n = 0; n < 30_000; n += 1) rates.admit({ ...ALICE, principal: `p${n}` }, nothing).release('complete');
  expect(refused()).not.toBeNull();
});

describe('changed limits', () => {
  const limit = (name: string, more: Partial<RateLimit>): RateLimit => ({ ...NONE, subject: 'principal', name, ...more });
  const left = (rates: RateLimits) => rates.admit(ALICE, nothing).standing.requests?.remaining ?? null;

  it('apply at once, and a bucket with an unchanged limit keeps its debt', () => {
    const { rates } = limitsOf(limit('alice', { requests_per_minute: 2, tokens_per_minute: 600 }));
    rates.settled(reportOf(900));
    expect(rates.admit(ALICE, nothing).refused).toMatchObject({ unit: 'tokens', retry_ms: 30_100 });
    rates.replace([limit('alice', { requests_per_minute: 9, tokens_per_minute: 600 })]);
    expect(rates.admit(ALICE, nothing).refused).toMatchObject({ unit: 'tokens', retry_ms: 30_100 });
    // The bucket does not depend on which entry the limit comes from.
    rates.replace([limit('*', { tokens_per_minute: 600 })]);
    expect(rates.admit(ALICE, nothing).refused).toMatchObject({ unit: 'tokens', retry_ms: 30_100 });
    rates.replace([]);
    expect(rates.admit(ALICE, nothing)).toMatchObject({ refused: null, standing: { requests: null, tokens: null } });
  });

  it('begin with a full bucket if they were raised or lowered', () => {
    const { rates } = limitsOf(limit('alice', { requests_per_minute: 2 }));
    expect([left(rates), left(rates)]).toEqual([1, 0]);
    rates.replace([limit('alice', { requests_per_minute: 5 })]);
    expect(left(rates)).toBe(4);
    rates.replace([limit('alice', { requests_per_minute: 1 })]);
    expect([left(rates), rates.admit(ALICE, nothing).refused]).toMatchObject([0, { limit: 1 }]);
  });

  it('count the requests that are in progress', () => {
    const { rates } = limitsOf(limit('alice', { concurrent: 5 }));
    const running = [rates.admit(ALICE, nothing), rates.admit(ALICE, nothing)];
    rates.replace([limit('alice', { concurrent: 2 })]);
    expect(rates.admit(ALICE, nothing).refused).toMatchObject({ unit: 'concurrent', limit: 2 });
    running[0]?.release('complete');
    expect(rates.admit(ALICE, nothing).refused).toBeNull();
  });

  it('are not credited with tokens that were taken before the change', () => {
    const { rates } = limitsOf(limit('alice', { tokens_per_minute: 600 }));
    const { release } = rates.admit(ALICE, () => 500);
    rates.replace([limit('alice', { tokens_per_minute: 1000 })]);
    rates.settled(reportOf(700));
    release('complete');
    expect(rates.admit(ALICE, nothing).standing.tokens?.remaining).toBe(300);
  });
});
