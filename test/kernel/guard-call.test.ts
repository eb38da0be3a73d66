import type { Guard, GuardContext } from '@svc/contracts';
import { expect, it } from 'vitest';
import { execute } from '../../kernel/kernel/src/runs/execute.ts';
import { runStage } from '../../kernel/kernel/src/runs/stage.ts';
import { type GuardTask, type GuardWorkers, WorkersBusy } from '../../kernel/kernel/src/workers/guard-workers.ts';
import { callWhole } from '../../kernel/runtime/src/answers/whole-call.ts';
import {
  ALLOW,
  answerOf,
  ENV,
  guardOf,
  handClock,
  nodeOf,
  providerOf,
  routeOf,
  runOf,
} from '../../kernel/runtime/src/test-parts.ts';

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const workersOf = (run: GuardWorkers['run'], isFull = false): GuardWorkers => ({ isFullFor: () => isFull, run });
/** A guard that asks a thread and goes on by what comes of it. */
const asking = (then: (work: Promise<unknown>, ctx: GuardContext) => unknown): Guard =>
  guardOf((_, ctx) => then(ctx.runInWorker('file:///task.js', 'input'), ctx));
const trusting = asking((work) => work.then(() => ALLOW));

async function stage(which: 'ingress' | 'egress', guard: Guard, workers: GuardWorkers, fields = {}) {
  const run = runOf(routeOf({ [which]: [nodeOf('heavy', guard, { timeout_ms: 100, ...fields })] }));
  run.completion = answerOf('answer');
  const stop = await runStage(run, which, null, () => false, { ...ENV, workers });
  return { stop, event: run.events[0]?.data };
}

it('waiting for a thread is not counted as the time of the guard', async () => {
  const workers = workersOf(async ({ resumed }) => {
    await later(150);
    resumed();
    return 'found';
  });
  expect(await stage('ingress', trusting, workers)).toMatchObject({ stop: null, event: { verdict: 'allow' } });
});

it.each([
  ['answers at once', () => ALLOW],
  ['waits then', (work: Promise<unknown>) => work.then(() => ALLOW)],
])("a guard's own work after it started a thread counts towards its time, if it %s", async (_, then) => {
  const clock = handClock();
  const busy = asking((work) => {
    clock.advance(101);
    return then(work);
  });
  const run = runOf(routeOf({ egress: [nodeOf('heavy', busy, { timeout_ms: 100 })] }));
  run.completion = answerOf('answer');
  const stop = await runStage(run, 'egress', null, () => false, { ...ENV, clock, workers: workersOf(async () => 'found') });
  expect(stop).toMatchObject({ kind: 'blocked', code: 'SVC-NODE-001' });
  expect(run.events[0]?.data).toMatchObject({ failure: 'timeout' });
});

it('work is counted, and stopped when the time is over', async () => {
  let given: GuardTask | undefined;
  const workers = workersOf((task) => {
    given = task;
    task.resumed();
    return new Promise(() => undefined);
  });
  expect(await stage('egress', trusting, workers)).toMatchObject({
    stop: { kind: 'blocked', code: 'SVC-NODE-001' },
    event: { failure: 'timeout' },
  });
  expect(given?.signal.aborted).toBe(true);
});

it.each<[string, Guard]>([
  ['finds nothing then', asking((work) => work.catch(() => undefined).then(() => ALLOW))],
  [
    'does not wait for it',
    asking((work) =>
      Promise.race([work, later(20)]).then(
        () => ALLOW,
        () => ALLOW,
      ),
    ),
  ],
  ['lets it through', trusting],
])('a guard fails if its task failed, even if it %s', async (_, guard) => {
  const workers = workersOf(async () => Promise.reject(new Error('the thread died')));
  expect(await stage('egress', guard, workers)).toMatchObject({ stop: { kind: 'blocked' }, event: { failure: 'threw' } });
  expect(await stage('egress', guard, workers, { on_error: 'allow' })).toMatchObject({ stop: null, event: { failure: 'threw' } });
});

it("a guard's unfinished work ends with its call, and no more begins", async () => {
  let given: GuardTask | undefined;
  let context: GuardContext | undefined;
  const workers = workersOf((task) => {
    given = task;
    return new Promise((_, reject) => task.signal.addEventListener('abort', () => reject(new Error('given up'))));
  });
  const careless = asking(async (_, ctx) => {
    context = ctx;
    await new Promise(setImmediate);
    return ALLOW;
  });
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  await stage('ingress', careless, workers);
  expect(given?.signal.aborted).toBe(true);
  await expect(context?.runInWorker('file:///task.js', null)).rejects.toThrow();
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

it('if no thread is free, ingress asks the caller to retry, and egress fails closed', async () => {
  const workers = workersOf(async () => Promise.reject(new WorkersBusy()));
  const swallowing = asking((work) => work.catch(() => undefined).then(() => ALLOW));
  for (const guard of [trusting, swallowing]) {
    expect(await stage('ingress', guard, workers, { on_error: 'allow' })).toMatchObject({
      stop: { kind: 'failed', stage: 'ingress', error: { code: 'SVC-BUSY-001', status: 503, retry_after_s: 5 } },
      event: { failure: 'busy' },
    });
    expect(await stage('egress', guard, workers)).toMatchObject({ stop: { kind: 'blocked' }, event: { failure: 'busy' } });
  }
  expect(await stage('ingress', trusting, workers, { mode: 'observe' })).toMatchObject({ stop: null });
});

it('work on billed answers and accepted runs may enter a full queue', async () => {
  const admitted: boolean[] = [];
  const workers = workersOf(async (task) => admitted.push(task.admitted));
  await stage('ingress', trusting, workers);
  await stage('egress', trusting, workers);
  const run = { ...runOf(routeOf({ ingress: [nodeOf('heavy', trusting)] })), admitted: true };
  await runStage(run, 'ingress', null, () => false, { ...ENV, workers });
  expect(admitted).toEqual([false, true, true]);
});

it('no model is called while the queue is full, if guards of its answer use threads', async () => {
  let calls = 0;
  const provider = providerOf(async () => {
    calls += 1;
    return { completion: answerOf('answer'), unsupported: [] };
  });
  const full = { ...ENV, workers: workersOf(async () => 'found', true) };
  const call = async (guard: Guard, admitted = false) => {
    const run = { ...runOf(routeOf({ provider, egress: [nodeOf('g', guard)] })), admitted };
    return execute(
      run,
      0,
      () => false,
      (endpoint) => callWhole(run, endpoint, full),
      full,
    );
  };
  const heavy = asking((work) => work.then(() => ALLOW));
  await stage('egress', heavy, full.workers);
  expect(await call(heavy)).toMatchObject({ kind: 'failed', error: { code: 'SVC-BUSY-001', retry_after_s: 5 } });
  expect(calls).toBe(0);
  expect(await call(guardOf(() => ALLOW))).toBeNull();
  expect(await call(heavy, true)).toBeNull();
  expect(calls).toBe(2);
});
