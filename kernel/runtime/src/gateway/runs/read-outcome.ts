import { type AnswerBody, ERROR_CODES, type ErrorCode, type RunEvent, type RunRow, SvcError } from '@svc/contracts';
import type { RunOutcome, Stop } from '@svc/kernel';
import { CHAT } from '@svc/protocols';
import { ANSWER_CONTENT, decodeBody, reachedModel } from '../../content/run-content.ts';
import type { GatewayEnv } from './gateway-env.ts';
import { type RunView, readRun, whyDenied } from './stored-runs.ts';

/** The outcome of a run as read from the store: for a repeated request, or while another process works on the run. */
export async function readOutcome(run_id: string, env: GatewayEnv): Promise<RunOutcome> {
  const { row, events } = await readRun(run_id, env);
  const found = await env.content.read(run_id, ANSWER_CONTENT);
  const kept = found && decodeBody<AnswerBody>(found.bytes, env.protocols);
  return {
    row,
    events,
    protocol: kept?.protocol ?? CHAT,
    completion: kept?.body ?? null,
    stop: await stopOf({ row, events }, env),
    tail: null,
    error: row.status === 'error' ? errorOf(row, events) : null,
    paid: reachedModel(events),
    cost: row.usage?.cost ?? 'complete',
  };
}

/** The node that stopped the run, according to the newest event about a stop. */
async function stopOf(run: RunView, env: GatewayEnv): Promise<Stop | null> {
  const {
    row: { status },
    events,
  } = run;
  if (status !== 'blocked' && status !== 'paused' && status !== 'denied') return null;
  const found = events.findLast(({ event_type, data }) =>
    status === 'blocked' ? event_type === 'verdict' && data.verdict === 'block' : ['paused', 'reused'].includes(event_type),
  );
  if (found === undefined) return null;
  const reason = status === 'denied' ? await whyDenied(run, env) : undefined;
  return { kind: status, stage: found.stage, node: found.node, code: String(found.data.code), reason };
}

function errorOf({ run_id }: RunRow, events: readonly RunEvent[]): SvcError {
  const code = events.map(({ event_type, data }) => (event_type === 'error' ? data.code : null)).findLast(isAnswered);
  return new SvcError(code ?? 'SVC-INT-001', 'the run ended with an error', { run_id });
}

/** Whether callers can receive this code. Some codes occur only in events. */
function isAnswered(code: unknown): code is ErrorCode {
  return typeof code === 'string' && code in ERROR_CODES && ERROR_CODES[code as ErrorCode].status !== null;
}
