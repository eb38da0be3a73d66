import { type Guard, type GuardContext, type GuardStream, isSvcError } from '@svc/contracts';
import { type GuardFailureReport, safeObserver } from '@svc/kernel/observing';
import { type GuardWorkers, WorkersBusy } from '@svc/kernel/workers';
import { expect, it } from 'vitest';
import { ALLOW, answerOf, ENV, guardOf, nodeOf, routeOf, runOf } from '../test-parts.ts';
import { collectAnswer } from '../texts/within-limits.ts';
import { NodeStream } from './node-stream.ts';

const CHANNEL = { choice: 0, path: 'content' };
const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A guard that releases the results of its work in a thread. */
const heavy: Guard = {
  ...guardOf(() => ALLOW),
  stream: {
    capability: 'window',
    open: (ctx: GuardContext) => ({
      push: async ({ text }) => ({ release: String(await ctx.runInWorker('file:///task.js', text)) }),
      end: () => ({ release: '' }),
      complete: () => ALLOW,
      finish: () => ALLOW,
    }),
  },
};

function streamOf(run: GuardWorkers['run']): NodeStream {
  const node = nodeOf('heavy', heavy, { timeout_ms: 100 });
  const workers: GuardWorkers = { isFullFor: () => false, run };
  return new NodeStream(runOf(routeOf({ egress: [node] })), node, { ...ENV, workers });
}

it('each step of a stream may work in a thread, and waiting for the thread does not count', async () => {
  const stream = streamOf(async ({ input, admitted, resumed }) => {
    expect(admitted).toBe(true);
    await later(150);
    resumed();
    return `(${input})`;
  });
  expect([await stream.push(CHANNEL, 'a'), await stream.push(CHANNEL, 'b')]).toEqual(['(a)', '(b)']);
  expect(await stream.finish(true)).toMatchObject({ judged: { verdict: 'allow', failure: null }, late: false });
});

it.each<[string, GuardWorkers['run'], string]>([
  ['fails', async () => Promise.reject(new Error('the thread died')), 'threw'],
  ['finds no thread', async () => Promise.reject(new WorkersBusy()), 'busy'],
  [
    'never ends',
    ({ resumed }) => {
      resumed();
      return new Promise(() => undefined);
    },
    'timeout',
  ],
])('if the work %s nothing more is sent', async (_, run, failure) => {
  const stream = streamOf(run);
  expect(await stream.push(CHANNEL, 'a')).toBe('');
  expect(stream.refusal).toBe('SVC-NODE-001');
  expect(await stream.finish(false)).toMatchObject({ judged: { verdict: 'block', failure } });
});

const PAST_THE_END = { ...ALLOW, verdict: 'sanitize', edits: [{ segment: 0, start: 0, end: 99, replacement: '' }] } as const;
const fails = (): unknown => JSON.parse('{');
const ODD: readonly [string, (well: GuardStream) => unknown, string][] = [
  ['throws where it opens', fails, 'threw'],
  ['opens by a promise', (well) => Promise.resolve(well), 'invalid_result'],
  ['opens by a promise that rejects', () => Promise.reject(new Error('x')), 'threw'],
  ['throws in push', (well) => ({ ...well, push: fails }), 'threw'],
  ['edits past the end', (well) => ({ ...well, complete: () => PAST_THE_END }), 'invalid_result'],
  ['throws in finish', (well) => ({ ...well, finish: fails }), 'threw'],
  [
    'throws in finish after it stopped the text',
    (well) => ({ ...well, push: () => ({ release: '', stop: { code: 'x' } }), finish: fails }),
    'threw',
  ],
];
it.each(ODD)('a guard that %s is reported once', async (_, open, reason) => {
  const well: GuardStream = {
    push: ({ text }) => ({ release: text }),
    end: () => ({ release: '' }),
    complete: () => ALLOW,
    finish: () => ALLOW,
  };
  const stream = { capability: 'window', open: () => open(well) } as Guard['stream'];
  const guard: Guard = { ...guardOf(() => ALLOW), ...(stream && { stream }) };
  const node = nodeOf('odd', guard);
  const run = runOf(routeOf({ egress: [node] }));
  const reported: GuardFailureReport[] = [];
  const observer = safeObserver({ guardFailed: (failure) => void reported.push(failure) });
  const judging = new NodeStream(run, node, { ...ENV, observer });
  await judging.push(CHANNEL, 'a');
  await judging.end(CHANNEL);
  const payload = collectAnswer(run, run.protocol.answer, answerOf('answer'), false);
  if (isSvcError(payload)) throw payload;
  await judging.complete(payload);
  await judging.finish(true);
  expect(reported).toMatchObject([{ node: 'odd', run_id: 'run-1', stage: 'egress', reason }]);
});
