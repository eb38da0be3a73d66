import {
  type Endpoint,
  type EventData,
  type EventStage,
  errorName,
  type JsonObject,
  type Logger,
  type RunRow,
  type Store,
} from '@svc/contracts';
import { firstEndpoint } from '@svc/kernel/endpoints';
import type { EarlierDecision } from '@svc/kernel/ports';
import { type ApproverEnv, isActive } from './approver.ts';
import type { EarlierDecisions } from './earlier-decisions.ts';
import type { Pausing } from './pause-key.ts';
import type { Person } from './person.ts';

/** The parts of a run that identify its request. */
type AskingRun = Parameters<typeof firstEndpoint>[0] &
  Pick<Pausing, 'principal_id' | 'route' | 'protocol' | 'request' | 'completion'> & {
    readonly row: RunRow;
    readonly states: ReadonlyMap<string, JsonObject>;
    record(type: 'reused', stage: EventStage, node: string, data: EventData<'reused'>): void;
  };

/** The point at which a run would pause. */
interface Paused {
  readonly stage: EventStage;
  readonly node: string;
  readonly code: string;
  /** Absent: the first endpoint. */
  readonly endpoint?: Endpoint;
}

export interface RepeatsEnv extends Pick<ApproverEnv, 'policy' | 'approvers'> {
  readonly decided: EarlierDecisions;
  readonly store: Pick<Store, 'run'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Identifies the decision that the run would wait for. All runs that ask the same question have the same key. */
export function askedKey(run: AskingRun, { stage, node, code, endpoint }: Paused, env: RepeatsEnv): string {
  const { principal_id, route, protocol, request, completion } = run;
  return env.decided.keyOf({
    principal_id,
    route,
    approvers: run.row.approvers,
    stage,
    node,
    code,
    endpoint: stage === 'execute' ? (endpoint ?? firstEndpoint(run)) : null,
    protocol,
    request,
    completion,
    masked: maskedIn(run),
  });
}

/** Whether a decision on an earlier run applies to this one. Does not use it up. False if the store cannot be read. */
export async function repeatsDecided(run: AskingRun, stop: Paused, env: RepeatsEnv): Promise<boolean> {
  try {
    return await env.decided.holds(askedKey(run, stop, env), counting(run, env));
  } catch {
    return false;
  }
}

function maskedIn({ states, row }: AskingRun): Record<string, JsonObject> {
  const edited = row.events.filter(({ event_type, data }) => event_type === 'verdict' && data.verdict === 'sanitize');
  const names = new Set(edited.map(({ node }) => node));
  return Object.fromEntries([...states].filter(([node]) => names.has(node)));
}

/**
 * The decision on an earlier run that also applies to this one. The store marks it as used, and this run's events name it. Null: a person must
 * decide, because there is no such decision or the store cannot be read.
 */
export async function earlierDecision(run: AskingRun, stop: Paused, env: RepeatsEnv): Promise<EarlierDecision | null> {
  const key = askedKey(run, stop, env);
  run.row.pause_keys = [...(run.row.pause_keys ?? []), key];
  try {
    const earlier = await env.decided.take(key, counting(run, env));
    if (earlier === null) return null;
    const { at, decision, digest, principal_id, run_id, reason, others: _, ...identity } = earlier;
    const record = (await env.store.run(run_id))?.evidence ?? null;
    // In canonical order, see evidenceOf.
    const { issuer, subject, on_behalf_of } = identity;
    const by = issuer === undefined ? {} : { issuer };
    const who = subject === undefined ? {} : { subject };
    const behalf = on_behalf_of === undefined ? {} : { on_behalf_of };
    run.row.approver = { at, decision, ...by, ...behalf, principal_id, ...who };
    run.record('reused', stop.stage, stop.node, {
      at,
      code: stop.code,
      decision,
      digest,
      ...by,
      principal_id,
      ...(record === null ? {} : { record: { hash: record.hash, seq: record.seq } }),
      run_id,
      ...who,
    });
    return { decision, reason };
  } catch (error) {
    env.logger.warn({ event: 'decision_not_read', run_id: run.run_id, reason: errorName(error) });
    return null;
  }
}

/** Whether a decision by this person still counts. */
function counting({ route }: AskingRun, env: RepeatsEnv): (person: Person) => boolean {
  return (person) => isActive(person, route.name, env);
}
