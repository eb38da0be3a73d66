import { isoTime } from '@svc/contracts';
import { unchanged } from '../content/history.ts';
import { newSalt, PAUSE_CONTENT, type PausedPayload, payloadDigest } from '../content/paused-payload.ts';
import { encodeJson, keptUntil } from '../content/run-content.ts';
import { firstEndpoint } from '../endpoints/order.ts';
import { report } from '../observing/report.ts';
import type { LiveRun } from './live-run.ts';
import type { RunOutcome } from './outcome.ts';
import type { RunStop } from './run-stop.ts';
import type { RunsEnv } from './runs-env.ts';
import { commit, nextRow } from './save.ts';

/** Pauses a running run: everything it needs to continue is on disk before anyone is notified. */
export async function pause(run: LiveRun, stop: Extract<RunStop, { kind: 'paused' }>, env: RunsEnv): Promise<RunOutcome> {
  const { stage, node, next, code, hint, endpoint = firstEndpoint(run) } = stop;
  run.move('paused', stage);
  await run.startWrite;
  const salt = newSalt();
  const digest = payloadDigest(run, salt);
  const route_digest = run.route.digest;
  run.record('paused', stage, node, { code, digest, route_digest });
  const payload: PausedPayload = {
    stage,
    node,
    index: next - 1,
    code,
    since: isoTime(env.clock.now()),
    salt,
    digest,
    route_digest,
    endpoint: stage === 'execute' ? endpoint : null,
    protocol: run.protocol.id,
    request: run.request,
    completion: run.completion,
    states: Object.fromEntries(run.states),
    spend: run.spend,
    unbilled: run.cost === 'partial',
    affinity: run.affinity,
    keepRequest: run.keepRequest,
    conversation: run.conversation,
    continued: run.history && unchanged(run.history, run.protocol.turnsOf(run.request)),
  };
  const expires_at = new Date(keptUntil(run.row, env.expire_after_ms, env) ?? 0).toISOString();
  const row = { ...nextRow(run, [...run.row.events], env), expires_at };
  const put_content = env.vault.seal(run, [{ name: PAUSE_CONTENT, bytes: encodeJson(payload), expires_at: null }]);
  await commit(run, { run: row, put_content, drop_content: [], settlements: [] }, null, env);
  report(run, null, env);
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
