import type { RunRow } from '@svc/contracts';
import { firstEndpoint } from '../endpoints/order.ts';
import { report } from '../observing/report.ts';
import type { LiveRun } from './live-run.ts';
import type { RunOutcome, Stop } from './outcome.ts';
import type { PausedStop } from './run-policy.ts';
import type { RunsEnv } from './runs-env.ts';
import { commit, nextRow } from './save.ts';

/** Pauses a running run. Everything that the run needs to continue is on disk before anyone is notified. */
export async function pause(run: LiveRun, stop: PausedStop, env: RunsEnv): Promise<RunOutcome> {
  const { stage, node, next, code, hint, endpoint = firstEndpoint(run) } = stop;
  run.move('paused', stage);
  await run.startWrite;
  const point = { stage, node, index: next - 1, code, endpoint: stage === 'execute' ? endpoint : null };
  const { event, expires_at, put_content } = env.vault.atPause(run, point);
  run.record('paused', stage, node, event);
  const row = { ...nextRow(run, [...run.row.events], env), expires_at };
  await commit(run, { run: row, put_content, drop_content: [], settlements: [] }, null, env);
  report(run, null, env);
  return pausedOutcome(run, row, { stage, node, code, hint });
}

/** `stop`: the node that paused it. */
export function pausedOutcome(run: LiveRun, row: RunRow, { stage, node, code, hint }: Omit<Stop, 'kind'>): RunOutcome {
  return {
    row,
    events: row.events,
    protocol: run.protocol,
    completion: null,
    stop: { kind: 'paused', stage, node, code, hint },
    tail: null,
    error: null,
    paid: run.spend.length > 0,
    cost: run.cost,
  };
}
