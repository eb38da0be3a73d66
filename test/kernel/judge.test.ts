import { describe, expect, it } from 'vitest';
import type { CallEnv, GuardCall } from '../../kernel/kernel/src/calls/guard-call.ts';
import type { GuardFailureReport } from '../../kernel/kernel/src/observing/guard-failure.ts';
import { safeObserver } from '../../kernel/kernel/src/observing/observer.ts';
import { readThrown } from '../../kernel/kernel/src/observing/thrown.ts';
import { judge } from '../../kernel/kernel/src/runs/judge.ts';
import { type GuardWorkers, TaskFailed, WorkersBusy } from '../../kernel/kernel/src/workers/guard-workers.ts';
import { ALLOW, ENV, guardOf, handClock, nodeOf } from '../../kernel/runtime/src/test-parts.ts';

const node = nodeOf(
  'n',
  guardOf(() => ALLOW),
  { timeout_ms: 20 },
);
const CALL: CallEnv = { ...ENV, run_id: 'run-1', route: 'default', stage: 'ingress', principal_id: 'p', admitted: false };
const NEVER = new AbortController().signal;
const isFine = (answer: unknown): answer is 'fine' => answer === 'fine';
const ask = (answer: (signal: AbortSignal) => unknown, abort = NEVER, clock = ENV.clock) =>
  judge(node, { ...CALL, clock }, abort, ({ signal }) => answer(signal), isFine);

const thenable = (then: unknown) => ({ then });

describe('judge', () => {
  it.each([
    ['at once', () => 'fine'],
    ['by a promise', async () => 'fine'],
    ['by a thenable', () => thenable((resolve: (value: string) => void) => resolve('fine'))],
  ])('accepts a result that arrives %s', async (_how, answer) => {
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

  it('a guard that works beyond its limit without yielding has timed out, whatever it answers then', async () => {
    const clock = handClock();
    const late = (): string => {
      clock.advance(21);
      return 'fine';
    };
    expect(await ask(late, NEVER, clock)).toEqual({ ok: false, failure: 'timeout', duration_ms: 21 });
    expect(await ask(async () => late(), NEVER, clock)).toMatchObject({ ok: false, failure: 'timeout' });
  });

  it('a guard that uses exactly its time is in time', async () => {
    const clock = handClock();
    const punctual = (): string => {
      clock.advance(20);
      return 'fine';
    };
    expect(await ask(punctual, NEVER, clock)).toEqual({ ok: true, result: 'fine', duration_ms: 20 });
  });

  it('signals the guard that its time is over', async () => {
    let seen: AbortSignal | undefined;
    await ask((signal) => {
      seen = signal;
      return new Promise(() => undefined);
    });
    expect(seen?.aborted).toBe(true);
  });

  it.each([
    ['throws', () => JSON.parse('{')],
    ['rejects', () => Promise.reject(new Error('x'))],
    ['answers something else', async () => 'other'],
  ])('aborts the signal of a guard that %s, because its other work may still wait', async (_what, answer) => {
    let seen: AbortSignal | undefined;
    await ask((signal) => {
      seen = signal;
      return answer();
    });
    expect(seen?.aborted).toBe(true);
  });

  it('ends the wait when the run is cancelled, and signals the guard', async () => {
    const abort = new AbortController();
    let seen: AbortSignal | undefined;
    const judged = judge(
      { ...node, timeout_ms: 3_600_000 },
      CALL,
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

  it('ignores a rejection after the wait has ended', async () => {
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

describe('the report of a failure', () => {
  function reports(ask: (call: GuardCall) => unknown, fields: Partial<CallEnv> = {}, abort = NEVER) {
    const reported: Partial<GuardFailureReport>[] = [];
    const observer = safeObserver({ guardFailed: (failure) => void reported.push(failure) });
    return Promise.resolve(judge(node, { ...CALL, observer, ...fields }, abort, ask, isFine)).then(() => reported);
  }

  it('a result is not a failure', async () => {
    expect(await reports(() => 'fine')).toEqual([]);
  });

  it.each([
    ['throws', () => JSON.parse('{'), 'threw', 'SyntaxError'],
    ['rejects', () => Promise.reject(new TypeError('x')), 'threw', 'TypeError'],
    ['never answers', () => new Promise(() => undefined), 'timed_out', null],
    ['answers something else', () => 'other', 'invalid_result', null],
  ])('of a guard that %s', async (_, answer, reason, error_class) => {
    const { name, version, on_error } = node;
    const said = { node: name, package: '@test/guard', version, run_id: 'run-1', route: 'default', stage: 'ingress', on_error };
    expect(await reports(answer)).toEqual([{ ...said, observed: false, reason, error_class, at: null }]);
  });

  it.each([
    [new WorkersBusy(), { reason: 'busy', error_class: null }],
    [new TaskFailed('not_loaded', 'x', readThrown(new SyntaxError('x'))), { reason: 'not_loaded', error_class: 'SyntaxError' }],
    [new TaskFailed('thread_ended', 'x'), { reason: 'thread_ended', error_class: null }],
    [new TaskFailed('threw', 'x', readThrown(new RangeError('x'))), { reason: 'threw', error_class: 'RangeError' }],
    [new TypeError('x'), { reason: 'threw', error_class: 'TypeError' }],
  ])('%#: the failure of a task, however the guard handles it', async (error, said) => {
    const workers: GuardWorkers = { isFullFor: () => false, run: () => Promise.reject(error) };
    expect(await reports((call) => call.runInWorker('file:///task.js', null), { workers })).toMatchObject([said]);
    expect(await reports((call) => call.runInWorker('file:///task.js', null).catch(() => 'fine'), { workers })).toMatchObject([
      said,
    ]);
  });

  it('is empty if the run was cancelled, because its verdict is not awaited', async () => {
    const abort = new AbortController();
    const left = (): unknown => {
      abort.abort();
      return Promise.reject(new Error('x'));
    };
    expect(await reports(left, {}, abort.signal)).toEqual([]);
  });

  it('an observer that throws changes nothing', async () => {
    const observer = safeObserver({ guardFailed: () => JSON.parse('{') });
    expect(await judge(node, { ...CALL, observer }, NEVER, () => 'other', isFine)).toMatchObject({
      ok: false,
      failure: 'invalid',
    });
  });
});
