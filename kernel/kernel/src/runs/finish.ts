import { type EventStage, isoTime, type SvcError } from '@svc/contracts';
import { evidenceOf } from '@svc/ledger';
import { usageField } from '../calls/spend.ts';
import { report } from '../observing/report.ts';
import type { LiveRun } from './live-run.ts';
import type { RunOutcome, Stop } from './outcome.ts';
import { nodesOf } from './route.ts';
import type { RunsEnv } from './runs-env.ts';
import { commit, nextRow } from './save.ts';
import { settle } from './settle.ts';

/** How a run ends. `stop`: the node that stopped it; `error`: the error for its caller. */
export type RunEnd = { readonly stage: EventStage } & (
  | { readonly status: 'completed'; readonly stop: null; readonly error: null }
  | { readonly status: 'blocked' | 'denied'; readonly stop: Stop; readonly error: null }
  | { readonly status: 'error'; readonly stop: null; readonly error: SvcError | null }
);

/**
 * Ends a running run: settles its guards' reservations, and writes row and evidence in one commit.
 * @throws {SvcError} SVC-STORE-001: the caller must then not receive an answer; {@link LostRace}
 */
export async function finish(run: LiveRun, { status, stage, stop, error }: RunEnd, env: RunsEnv): Promise<RunOutcome> {
  if (error !== null) run.record('error', stage, '', { code: error.code });
  run.move(status, stage);
  if (run.startWrite !== null) await run.startWrite;
  const nodes = nodesOf(run.route);
  const settlements = nodes.some(({ guard }) => guard.reservations) ? await settle(run, status, env) : [];
  const { events } = run.row;
  const evidence = evidenceOf(run.row, run.route.model_version, isoTime(env.clock.now()));
  const ended = { ...nextRow(run, [], env), ...usageField(run.spend, run.cost) };
  const placed = await commit(run, { run: ended, ...env.vault.atEnd(run), settlements }, evidence, env);
  report(run, ended.usage?.micro_usd ?? null, env);
  return {
    row: { ...ended, evidence: placed },
    events,
    protocol: run.protocol,
    completion: status === 'completed' ? run.completion : null,
    stop,
    tail: run.transport?.tail ?? null,
    error,
    paid: run.spend.length > 0,
    cost: run.cost,
  };
}
