import type { CounterSettlement, EndedStatus } from '@svc/contracts';
import { GuardCall } from '../calls/guard-call.ts';
import { guardContext } from '../calls/guard-context.ts';
import { isSettlement } from '../calls/guard-result.ts';
import type { LiveRun } from './live-run.ts';
import { callEnv } from './pipeline-run.ts';
import { nodesOf } from './route.ts';
import type { RunsEnv } from './runs-env.ts';

const NEVER = new AbortController().signal;

/** Asks every guard once what to book. If one fails, its reservation expires by itself, and the run ends all the same. */
export async function settle(run: LiveRun, outcome: EndedStatus, env: RunsEnv): Promise<CounterSettlement[]> {
  const settlements: CounterSettlement[] = [];
  for (const node of nodesOf(run.route)) {
    const { reservations } = node.guard;
    if (reservations === undefined) continue;
    const call = new GuardCall(node.guard, node.timeout_ms, callEnv(run, 'egress', env), NEVER);
    try {
      const context = guardContext(run, node, 'egress', call);
      const asked = Promise.resolve(reservations.settle(context, run.spend, outcome, run.cost));
      const settled = await call.race(asked);
      if (!settled.done) throw new Error('settle ran past its limit');
      const asked_for: unknown = settled.value ?? [];
      const own = Array.isArray(asked_for) ? [...asked_for] : [asked_for];
      if (!own.every(isSettlement)) throw new Error('settle broke its contract');
      settlements.push(...own);
    } catch {
      run.record('error', 'execute', node.name, { code: 'SVC-NODE-001' });
    } finally {
      call.end();
    }
  }
  return settlements;
}
