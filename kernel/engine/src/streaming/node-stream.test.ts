import type { Guard, GuardContext } from '@svc/contracts';
import { expect, it } from 'vitest';
import { ALLOW, ENV, guardOf, nodeOf, routeOf, runOf } from '../core/test-parts.ts';
import { type GuardWorkers, WorkersBusy } from '../workers/guard-workers.ts';
import { NodeStream } from './node-stream.ts';

const CHANNEL = { choice: 0, path: 'content' };
const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Lets through what its thread lets through. */
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

it('each step of a stream may work in a thread, and waits for it without a cost', async () => {
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
])('where the work %s nothing more leaves', async (_, run, failure) => {
  const stream = streamOf(run);
  expect(await stream.push(CHANNEL, 'a')).toBe('');
  expect(stream.refusal).toBe('SVC-NODE-001');
  expect(await stream.finish(false)).toMatchObject({ judged: { verdict: 'block', failure } });
});
