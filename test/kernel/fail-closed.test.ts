import type { Guard } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { execute } from '../../kernel/kernel/src/runs/execute.ts';
import type { PipelineNode } from '../../kernel/kernel/src/runs/route.ts';
import { runStage } from '../../kernel/kernel/src/runs/stage.ts';
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

const NOBODY = (): boolean => false;
const EDIT = { segment: 0, start: 0, end: 1, replacement: 'SPOILT' };

const FAILURES: Readonly<Record<string, readonly [failure: string, answer: () => unknown]>> = {
  throws: ['threw', () => JSON.parse('{')],
  rejects: ['threw', () => Promise.reject(new Error('x'))],
  'never answers': ['timeout', () => new Promise(() => undefined)],
  'answers nothing': ['invalid', () => undefined],
  'answers rubbish': ['invalid', async () => ({ verdict: 'fine' })],
  'allows and edits': ['invalid', () => ({ ...ALLOW, edits: [EDIT] })],
  'edits out of bounds': ['invalid', () => ({ ...ALLOW, verdict: 'sanitize', edits: [EDIT, { ...EDIT, start: 0, end: 99 }] })],
  'gives an undeclared verdict': ['invalid', () => ({ ...ALLOW, verdict: 'require_approval' })],
};

const ON_ERROR = { block: 'blocked', require_approval: 'paused', allow: null } as const;

const failing = (answer: () => unknown, fields: Partial<PipelineNode>): PipelineNode => {
  const guard: Guard = { ...guardOf(answer), verdicts: ['sanitize', 'block'] };
  return nodeOf('failing', guard, { timeout_ms: 20, ...fields });
};

describe.each(Object.entries(FAILURES))('a guard that %s', (_what, [failure, answer]) => {
  describe.each(['ingress', 'egress'] as const)('in %s', (stage) => {
    it.each(['block', 'require_approval', 'allow'] as const)('gives on_error: %s', async (on_error) => {
      const node = failing(answer, { on_error });
      const run = runOf(
        routeOf({
          [stage]: [
            node,
            nodeOf(
              'next',
              guardOf(() => ALLOW),
            ),
          ],
        }),
      );
      run.completion = answerOf('answer');
      const stop = await runStage(run, stage, null, NOBODY, ENV);
      expect(stop?.kind ?? null).toBe(ON_ERROR[on_error]);
      if (stop !== null) expect(stop).toMatchObject({ stage, node: 'failing', code: 'SVC-NODE-001' });
      expect(run.events[0]).toMatchObject({
        event_type: 'verdict',
        stage,
        node: 'failing',
        data: { verdict: on_error, code: 'SVC-NODE-001', failure, findings: [] },
      });
      // The next node is asked only where the failure lets the payload pass.
      expect(run.events.map(({ node: name }) => name)).toEqual(on_error === 'allow' ? ['failing', 'next'] : ['failing']);
      expect(JSON.stringify([run.request, run.completion])).not.toContain('SPOILT');
    });
  });

  it('in observe mode is recorded and stops nothing', async () => {
    const run = runOf(routeOf({ ingress: [failing(answer, { on_error: 'block', mode: 'observe' })] }));
    expect(await runStage(run, 'ingress', null, NOBODY, ENV)).toBeNull();
    expect(run.events).toMatchObject([{ event_type: 'observed', data: { verdict: 'block', failure } }]);
  });
});

describe.each([
  ['throws', 'threw', () => JSON.parse('{')],
  ['never answers', 'timeout', () => new Promise<never>(() => undefined)],
  ['sanitizes', 'invalid', () => ({ verdict: 'sanitize', code: 'c' })],
  ['answers nothing', 'invalid', () => undefined],
])('an endpoint hook that %s', (_what, failure, answer) => {
  it.each(['block', 'require_approval', 'allow'] as const)('gives on_error: %s', async (on_error) => {
    let calls = 0;
    const provider = providerOf(async () => {
      calls += 1;
      return { completion: answerOf('answer'), unsupported: [] };
    });
    const guard = { ...guardOf(() => ALLOW), endpoint: answer as NonNullable<Guard['endpoint']> };
    const run = runOf(routeOf({ provider, ingress: [nodeOf('failing', guard, { timeout_ms: 20, on_error })] }));
    const stop = await execute(run, 0, NOBODY, (endpoint) => callWhole(run, endpoint, ENV), ENV);
    expect(stop?.kind ?? null).toBe(ON_ERROR[on_error]);
    expect(calls).toBe(on_error === 'allow' ? 1 : 0);
    expect(run.events[0]).toMatchObject({ stage: 'execute', node: 'failing', data: { verdict: on_error, failure } });
  });
});

it('the verdict of a guard that takes too long without yielding does not count', async () => {
  const clock = handClock();
  const slow = guardOf(() => {
    clock.advance(5001);
    return ALLOW;
  });
  const run = runOf(routeOf({ ingress: [nodeOf('slow', slow)] }));
  const stop = await runStage(run, 'ingress', null, NOBODY, { ...ENV, clock });
  expect(stop).toMatchObject({ kind: 'blocked', node: 'slow' });
  expect(run.events[0]?.data).toMatchObject({ failure: 'timeout', duration_ms: 5001 });
});

it.each(['interrupted', 'disconnected'] as const)(
  'a run that is %s while a guard works gets no verdict from it',
  async (reason) => {
    const run = runOf(routeOf());
    const guard = guardOf(() => {
      run.abort.abort(reason);
      return new Promise(() => undefined);
    });
    const route = routeOf({ ingress: [nodeOf('thinking', guard, { on_error: 'allow' })] });
    const stop = await runStage({ ...run, route }, 'ingress', null, NOBODY, ENV);
    expect(stop).toEqual({ kind: reason });
    expect(run.events).toEqual([]);
  },
);
