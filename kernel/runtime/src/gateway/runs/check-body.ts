import type { AnswerBody, SvcError } from '@svc/contracts';
import { finish, type LiveRun, type RunOutcome, type RunStop, type Stop, type Track } from '@svc/kernel';
import { cancellation, newRunId } from '@svc/kernel/admission';
import { runStage } from '@svc/kernel/guards';
import type { PipelineNode, RuntimeRoute } from '@svc/kernel/routes';
import type { GatewayEnv } from './gateway-env.ts';
import { newRun, type RunRequest } from './run-request.ts';

/** A body that the guards of a route check without a model call. */
export type CheckRequest = Pick<
  RunRequest,
  'route' | 'principal_id' | 'team' | 'key_id' | 'protocol' | 'request' | 'traceparent' | 'bytes'
> & {
  /** The answer that the egress guards check. Null: the ingress guards check the request. */
  readonly answer: AnswerBody | null;
  /** Whether the check is recorded as a run with evidence. */
  readonly evidence: boolean;
};

/**
 * Asks the guards of a stage about a body, and records the check if requested. Edits change the request or the answer.
 * @returns `completed`, `blocked`, or `error`. If a guard requires approval, the run is `blocked`, and `stop` says why
 */
export async function checkBody(asked: CheckRequest, gone: AbortSignal, env: GatewayEnv, track: Track): Promise<RunOutcome> {
  const { route, not_asked } = withoutModel(asked.route, asked.answer === null ? 'ingress' : 'egress');
  const whole = { approvers: [], keepAnswer: false, keepRequest: false, idempotency_key: null, synchronous: true, sink: null };
  const run = newRun(newRunId(env.clock.now()), { ...whole, ...asked, route }, 'running', env);
  run.completion = asked.answer;
  const leave = (): void => run.abort.abort('disconnected');
  gone.addEventListener('abort', leave, { once: true });
  if (gone.aborted) leave();
  try {
    return await track(run, () => checked(run, not_asked, asked.evidence, env));
  } finally {
    run.bytes.release();
    gone.removeEventListener('abort', leave);
  }
}

/** Whether a node reserves for a model call, or sends text to an embedding model. */
export function needsModelCall({ guard, namespaces }: PipelineNode): boolean {
  return guard.reservations !== undefined || namespaces.length > 0;
}

/** The route without endpoints, without guards that reserve for a model call, and without guards that send text to an embedding model. */
function withoutModel(route: RuntimeRoute, stage: 'ingress' | 'egress') {
  const isAsked = (node: PipelineNode): boolean => !needsModelCall(node);
  const not_asked = route[stage].filter((node) => !isAsked(node)).map(({ name }) => name);
  const asked = { ingress: route.ingress.filter(isAsked), egress: route.egress.filter(isAsked) };
  return { route: { ...route, ...asked, endpoints: [] }, not_asked };
}

async function checked(run: LiveRun, not_asked: string[], evidence: boolean, env: GatewayEnv): Promise<RunOutcome> {
  const stage = run.completion === null ? 'ingress' : 'egress';
  run.timeline.begin(env.clock);
  run.record('checked', stage, '', { not_asked });
  const reached = await runStage(run, stage, null, () => false, env);
  const stop = reached?.kind === 'blocked' || reached?.kind === 'paused' ? reached : null;
  const error = stop === null ? errorOf(reached) : null;
  if (reached?.kind === 'disconnected' || reached?.kind === 'interrupted' || reached?.kind === 'stopped')
    run.recordAbort(reached);
  const outcome = evidence ? await finish(run, endOf(stage, stop, error), env) : unrecorded(run, error);
  return { ...outcome, stop };
}

function endOf(stage: 'ingress' | 'egress', stop: Stop | null, error: SvcError | null) {
  if (error !== null) return { status: 'error', stage, stop: null, error } as const;
  if (stop !== null) return { status: 'blocked', stage, stop: { ...stop, kind: 'blocked' }, error } as const;
  return { status: 'completed', stage, stop, error } as const;
}

function errorOf(stop: RunStop | null): SvcError | null {
  if (stop?.kind === 'failed' || stop?.kind === 'stopped') return stop.error;
  return stop?.kind === 'disconnected' || stop?.kind === 'interrupted' ? cancellation(stop.kind) : null;
}

function unrecorded(run: LiveRun, error: SvcError | null): RunOutcome {
  const { row, events, protocol, completion } = run;
  return { row, events, protocol, completion, stop: null, tail: null, error, paid: false, cost: 'complete' };
}
