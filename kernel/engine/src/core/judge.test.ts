import { describe, expect, it } from 'vitest';
import { NO_WORKERS } from '../workers/guard-workers.ts';
import { judge } from './judge.ts';
import { ALLOW, ENV, guardOf, handClock, nodeOf } from './test-parts.ts';

const node = nodeOf(
  'n',
  guardOf(() => ALLOW),
  { timeout_ms: 20 },
);
const NEVER = new AbortController().signal;
const isFine = (answer: unknown): answer is 'fine' => answer === 'fine';
const ask = (answer: (signal: AbortSignal) => unknown, abort = NEVER, clock = ENV.clock) =>
  judge(node, { clock, workers: NO_WORKERS, principal_id: 'p', admitted: false }, abort, ({ signal }) => answer(signal), isFine);

const thenable = (then: unknown) => ({ then });

describe('judge', () => {
  it.each([
    ['at once', () => 'fine'],
    ['by a promise', async () => 'fine'],
    ['by a thenable', () => thenable((resolve: (value: string) => void) => resolve('fine'))],
  ])('takes an answer that comes %s', async (_how, answer) => {
    expect(await ask(answer)).toMatchObject({ ok: true, result: 'fine' });
  });

  it.each([
    ['throws', () => JSON.parse('{'), 'threw'],
    ['rejects', async () => Promise.reject(new Error('x')), 'threw'],
    ['rejects with nothing', () => Promise.reject(), 'threw'],
    [
      'throws a string',
      () => {
        throw 'x';
      },
      'threw',
    ],
    ['is a thenable that throws', () => thenable(() => JSON.parse('{')), 'threw'],
    ['answers something else', () => 'other', 'invalid'],
    ['answers nothing', () => undefined, 'invalid'],
    ['resolves to something else', async () => null, 'invalid'],
    ['never answers', () => new Promise(() => undefined), 'timeout'],
    ['is a thenable that never answers', () => thenable(() => undefined), 'timeout'],
    [
      'has a then that throws when it is looked at',
      () => Object.defineProperty({}, 'then', { get: () => JSON.parse('{') }),
      'threw',
    ],
  ])('a guard that %s has failed: it %3$s', async (_what, answer, failure) => {
    expect(await ask(answer)).toMatchObject({ ok: false, failure });
  });

  it('a guard that works past its limit without yielding has run out of time, whatever it answers then', async () => {
    const clock = handClock();
    const late = (): string => {
      clock.advance(21);
      return 'fine';
    };
    expect(await ask(late, NEVER, clock)).toEqual({ ok: false, failure: 'timeout', duration_ms: 21 });
    expect(await ask(async () => late(), NEVER, clock)).toMatchObject({ ok: false, failure: 'timeout' });
  });

  it('a guard that uses its whole time and no more is in time', async () => {
    const clock = handClock();
    const punctual = (): string => {
      clock.advance(20);
      return 'fine';
    };
    expect(await ask(punctual, NEVER, clock)).toEqual({ ok: true, result: 'fine', duration_ms: 20 });
  });

  it('tells the guard that its time is over', async () => {
    let seen: AbortSignal | undefined;
    await ask((signal) => {
      seen = signal;
      return new Promise(() => undefined);
    });
    expect(seen?.aborted).toBe(true);
  });

  it('ends the wait when the run is given up, and tells the guard', async () => {
    const abort = new AbortController();
    let seen: AbortSignal | undefined;
    const judged = judge(
      { ...node, timeout_ms: 3_600_000 },
      { ...ENV, principal_id: 'p', admitted: false },
      abort.signal,
      ({ signal }) => {
        seen = signal;
        abort.abort();
        return new Promise(() => undefined);
      },
      isFine,
    );
    expect(await judged).toMatchObject({ ok: false });
    expect(seen?.aborted).toBe(true);
  });

  it('does not mind a rejection that comes when nobody waits any more', async () => {
    const late = Promise.withResolvers<string>();
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    expect(await ask(() => late.promise)).toMatchObject({ ok: false, failure: 'timeout' });
    late.reject(new Error('late'));
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});
