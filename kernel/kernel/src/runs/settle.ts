import type { CounterSettlement, EndedStatus } from '@svc/contracts';
import { callEnv } from '../calls/call-env.ts';
import { GuardCall, type GuardFailure } from '../calls/guard-call.ts';
import { guardContext } from '../calls/guard-context.ts';
import { isSettlement } from '../calls/guard-result.ts';
import type { LiveRun } from './live-run.ts';
import { nodesOf, type PipelineNode } from './route.ts';
import type { RunsEnv } from './runs-env.ts';

const NEVER = new AbortController().signal;

/** Asks every guard once what to charge. If a guard fails, its reservation expires, and the run still ends. */
export async function settle(run: LiveRun, outcome: EndedStatus, env: RunsEnv): Promise<CounterSettlement[]> {
  const settlements: CounterSettlement[] = [];
  for (const node of nodesOf(run.route)) {
    const { reservations } = node.guard;
    if (reservations === undefined) continue;
    const call = new GuardCall(node, { ...callEnv(run, 'egress', env), stage: 'settle' }, NEVER);
    try {
      const context = guardContext(run, node, 'egress', call);
      const settling = Promise.resolve(reservations.settle(context, run.spend, outcome, run.cost));
      const settled = await call.race(settling);
      if (!settled.done) {
        failed(run, node, call, 'timeout');
        continue;
      }
      const asked_for: unknown = settled.value ?? [];
      const own = Array.isArray(asked_for) ? [...asked_for] : [asked_for];
      if (own.every(isSettlement)) settlements.push(...own);
      else failed(run, node, call, 'invalid');
    } catch (error) {
      failed(run, node, call, 'threw', error);
    } finally {
      call.end();
    }
  }
  return settlements;
}

function failed(run: LiveRun, { name }: PipelineNode, call: GuardCall, failure: GuardFailure, thrown?: unknown): void {
  call.fail(failure, thrown);
  run.record('error', 'execute', name, { code: 'SVC-NODE-001' });
}
