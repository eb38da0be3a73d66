import type { Cost, CounterSettlement, EndedStatus, GuardResult, Spend } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { fakeSegments } from '../fakes/segments.ts';
import type { GuardConformanceOptions } from './options.ts';
import { assertCode, assertHint, isDeclared } from './result.ts';
import type { WithSubject } from './subject.ts';

const COSTS: readonly Cost[] = ['complete', 'partial'];
const OUTCOMES: readonly EndedStatus[] = ['completed', 'blocked', 'denied', 'error'];

/** Cases for `endpoint` and `reservations`, if the guard has them. */
export function hookCases(withSubject: WithSubject, { samples, clean = [] }: GuardConformanceOptions): ConformanceCase[] {
  const segments = fakeSegments('ingress', [...clean, ...samples]);
  return [
    {
      name: 'returns an answer for every endpoint of the run',
      run: () =>
        withSubject(async ({ guard, context }) => {
          const ctx = context('ingress');
          for (const endpoint of ctx.endpoints) {
            const answer = await guard.endpoint?.(ctx, endpoint);
            if (answer === undefined) continue;
            const { verdict } = answer;
            assert.ok(
              ['allow', 'block', 'require_approval'].includes(verdict),
              'allow, block or require_approval',
              'a different verdict',
            );
            assert.ok(isDeclared(verdict, guard), `a verdict that is declared (${guard.verdicts.join(', ')})`, `'${verdict}'`);
            assertCode(answer.code);
            assertHint(answer);
          }
        }),
    },
    {
      name: 'allows or blocks a run after a pause, and edits nothing',
      run: () =>
        withSubject(async ({ guard, context }) => {
          if (guard.reservations === undefined) return;
          const ctx = context('ingress');
          for (const before of [false, true]) {
            if (before) await guard.check(segments, ctx);
            const result: GuardResult = await guard.reservations.revalidate(segments, ctx);
            const { verdict, code, edits } = result;
            assert.ok(
              verdict === 'allow' || (verdict === 'block' && isDeclared(verdict, guard)),
              'allow, or block if it is declared',
              'a different verdict',
            );
            assert.same(edits.length, 0, 'edits');
            assertCode(code);
            assertHint(result);
          }
        }),
    },
    {
      name: 'settles a run however it ended, even if it was never checked',
      run: async () => {
        for (const [outcome, cost] of OUTCOMES.flatMap((ended) => COSTS.map((cost) => [ended, cost] as const))) {
          for (const before of [true, false]) {
            await withSubject(async ({ guard, context }) => {
              const ctx = context('ingress');
              if (before && guard.stages.includes('ingress')) await guard.check(segments, ctx);
              const settled: unknown = (await guard.reservations?.settle(ctx, spendOf(ctx.endpoints), outcome, cost)) ?? [];
              const settlements: CounterSettlement[] = Array.isArray(settled) ? settled : [settled];
              for (const { key, amount, expires_at } of settlements.flatMap(({ spend }) => spend)) {
                assert.ok(Buffer.byteLength(key) <= 512, 'a counter key of at most 512 bytes', Buffer.byteLength(key));
                assert.ok(Number.isSafeInteger(amount) && amount >= 0, 'an amount that is a non-negative integer', amount);
                assert.ok(Number.isSafeInteger(expires_at), 'expires_at in whole milliseconds', expires_at);
              }
            });
          }
        }
      },
    },
  ];
}

function spendOf(endpoints: readonly Spend['endpoint'][]): Spend[] {
  const usage = { input_tokens: 12, output_tokens: 34, cached_input_tokens: 5, estimated: false };
  return endpoints.map((endpoint) => ({ endpoint, usage, at: Date.now() }));
}
