import { describe, expect, test } from 'vitest';
import { GUARD_SETS, type GuardSet, type Lags, lagsOf } from '../harness/stream-lag.ts';
import { tokenStreams } from '../harness/token-streams.ts';

const STREAMS = tokenStreams();
const ALL = 'rules, secrets, pii';
const EACH = (Object.keys(GUARD_SETS) as GuardSet[]).filter((guards) => guards !== ALL);

/** Tokens later: the first text of any answer, any token, and the mean over all, at most. What is held of a long word is the whole word. */
const BOUNDS: readonly (readonly [kind: string, first: number, each: number, mean: number])[] = [
  ['prose', 3, 3, 1.1],
  ['capitalised', 5, 5, 2],
  ['german', 5, 8, 2.5],
  ['numbers', 3, 5, 1.25],
  ['code', 3, 6, 1.25],
  ['lists', 3, 3, 1.1],
];

async function lags(kind: string, guards: GuardSet): Promise<Lags[]> {
  return Promise.all((STREAMS.get(kind) ?? []).map((tokens) => lagsOf(guards, tokens)));
}

describe('text that comes token by token through rules, secrets and pii', () => {
  test('includes every kind with a limit', () => {
    expect([...STREAMS.keys()]).toEqual(BOUNDS.map(([kind]) => kind));
  });

  test.each(BOUNDS)('is sent in time: %s', async (kind, first, each, mean) => {
    const all = await lags(kind, ALL);
    const tokens = all.flatMap((answer) => answer.each);
    expect(Math.max(...all.map((answer) => answer.first))).toBeLessThanOrEqual(first);
    expect(Math.max(...tokens)).toBeLessThanOrEqual(each);
    expect(tokens.reduce((sum, lag) => sum + lag, 0) / tokens.length).toBeLessThanOrEqual(mean);
  });

  test.each(BOUNDS)('waits little longer than for the slowest of them: %s', async (kind) => {
    const alone = await Promise.all(EACH.map((guards) => lags(kind, guards)));
    for (const [n, { each }] of (await lags(kind, ALL)).entries()) {
      for (const [at, lag] of each.entries()) {
        expect(lag).toBeLessThanOrEqual(Math.max(...alone.map((of) => of[n]?.each[at] ?? 0)) + 1);
      }
    }
  });
});
