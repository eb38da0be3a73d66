import type { RunEvent } from '@svc/contracts';
import type { RunStop } from '@svc/kernel';
import { nodesOf } from '@svc/kernel/routes';
import type { RunView } from '../runs/stored-runs.ts';
import { type AskedBody, type AskedGuards, askGuards, type GuardsEnv } from './ask-guards.ts';
import {
  changeOf,
  type Effect,
  type GuardAct,
  isSame,
  lastHold,
  OPERATOR,
  pauseAsBlock,
  pausesAndMasks,
  type RunChange,
  recordedEffect,
} from './effect.ts';
import type { KeptBodies } from './kept-bodies.ts';
import { type OfflineRoute, recordedStates } from './offline-route.ts';

/** The node of a route's rule for parts that no guard can read. */
const UNSCANNABLE = 'unscannable';

/** What a configuration would have done to a recorded run. */
export interface ReplayedRun {
  readonly before: Effect;
  readonly after: Effect;
  /** Null: nothing changes. */
  readonly change: RunChange | null;
  /** Names of the guards that were asked. */
  readonly asked: readonly string[];
  /** Names of the guards that failed. Their `on_error` decided. */
  readonly failed: readonly string[];
  /** Whether the run had an answer that is not kept, so the recorded verdicts on it are assumed to stay. */
  readonly lacks_answer: boolean;
}

/**
 * Asks the guards of the route about the kept content of a run. Calls no model and records nothing. `undecided`: it is not known what the recorded
 * configuration does to this run.
 */
export async function replayRun(
  view: RunView,
  kept: KeptBodies,
  route: OfflineRoute,
  env: GuardsEnv,
): Promise<ReplayedRun | 'undecided'> {
  const { row, events } = view;
  const held = lastHold(row, events);
  if (isUndecided(view, held, route)) return 'undecided';
  const before = recordedEffect(row, events);
  const { is_embedding, ...bodies } = kept;
  const checked = events.find(({ event_type }) => event_type === 'checked');
  const canWait = checked === undefined && !is_embedding;
  const asked = await askGuards(
    {
      row,
      ...bodies,
      route: events.some(({ data }) => data.retrieved !== undefined) ? route.retrieved : route.runtime,
      stages: stagesOf(checked, held?.node === OPERATOR),
      embedding: is_embedding ? route.runtime.embeddings : null,
      // Where the run ended, it ends now, too.
      goes_on: (pause) => canWait && (held === null || !isSame(held, pause)),
      states: recordedStates(route, events),
    },
    env,
  );
  const lacks_answer = !is_embedding && bodies.completion === null && hadAnswer(row.status === 'completed', before, events);
  const found = effectOf(asked, before, row.status === 'error', lacks_answer, route);
  const after = canWait || found.blocked !== null ? found : pauseAsBlock(found);
  const change = changeOf(before, after);
  return { before, after, change, ...guardsIn(asked.events, route), lacks_answer };
}

/** Whether a run failed before its guards had decided, or one of the guards that are asked now had failed. */
function isUndecided({ row, events }: RunView, held: GuardAct | null, { runtime, not_asked }: OfflineRoute): boolean {
  const has_called = events.some(({ event_type }) => event_type === 'provider_call');
  if (row.status === 'error' && !has_called && held === null) return true;
  const asked = new Set(nodesOf(runtime).flatMap(({ name }) => (not_asked.has(name) ? [] : [name])));
  return events.some(({ event_type, node, data }) => event_type === 'verdict' && data.failure !== undefined && asked.has(node));
}

/** The stages to ask. An operator's rule holds a run before guards are asked about endpoints. */
function stagesOf(checked: RunEvent | undefined, isHeldByOperator: boolean): AskedBody['stages'] {
  if (checked !== undefined) return [checked.stage === 'egress' ? 'egress' : 'ingress'];
  return isHeldByOperator ? ['ingress'] : ['ingress', 'execute', 'egress'];
}

function effectOf(
  { events, endpoint_pause, stop }: AskedGuards,
  before: Effect,
  hadFailed: boolean,
  lacks_answer: boolean,
  { runtime, not_asked }: OfflineRoute,
): Effect {
  const found = pausesAndMasks(events);
  const pauses = endpoint_pause === null ? [] : [actOf(endpoint_pause)];
  // A rule of an operator is not part of a configuration.
  const ordered = stop === null || stop.kind === 'paused' ? before.paused.filter(({ node }) => node === OPERATOR) : [];
  const acts = [...found.paused, ...ordered, ...pauses];
  const assumed = before.blocked !== null && isAssumed(before.blocked, not_asked) ? before.blocked : null;
  const blocked = stop === null ? assumed : blockOf(stop, hadFailed);
  if (!lacks_answer || stop !== null) return { ...found, paused: acts, blocked };
  const stays = ({ stage, node }: GuardAct): boolean =>
    stage === 'egress' &&
    (node === UNSCANNABLE ? runtime.unscannable !== 'pass' : runtime.egress.some(({ name }) => name === node));
  return {
    ...found,
    paused: [...acts, ...before.paused.filter(stays)],
    blocked: blocked ?? (before.blocked !== null && stays(before.blocked) ? before.blocked : null),
  };
}

function blockOf(stop: RunStop, hadFailed: boolean): GuardAct | null {
  if (stop.kind === 'blocked') return actOf(stop);
  return stop.kind === 'failed' && !hadFailed ? failureOf(stop) : null;
}

/** Whether a block cannot be found by asking: an operator's rule, or a guard that is not asked, which blocked after a pause. */
function isAssumed({ node }: GuardAct, not_asked: OfflineRoute['not_asked']): boolean {
  return node === OPERATOR || not_asked.has(node);
}

/** Whether a model answered, as far as guards in egress are concerned. */
function hadAnswer(isCompleted: boolean, { blocked, paused }: Effect, events: readonly RunEvent[]): boolean {
  const isInEgress = ({ stage }: GuardAct): boolean => stage === 'egress';
  return (
    (isCompleted || (blocked !== null && isInEgress(blocked)) || paused.some(isInEgress)) &&
    !events.some(({ event_type, stage }) => event_type === 'checked' && stage === 'ingress')
  );
}

function actOf({ stage, node, code }: GuardAct): GuardAct {
  return { stage, node, code };
}

function failureOf({ stage, error }: { readonly stage: GuardAct['stage']; readonly error: { readonly code: string } }): GuardAct {
  return { stage, node: '', code: error.code };
}

function guardsIn(events: readonly RunEvent[], { not_asked }: OfflineRoute): Pick<ReplayedRun, 'asked' | 'failed'> {
  const verdicts = events.filter(({ event_type, node }) => event_type === 'verdict' && !not_asked.has(node));
  const names = (found: readonly RunEvent[]): string[] => [...new Set(found.map(({ node }) => node))];
  return { asked: names(verdicts), failed: names(verdicts.filter(({ data }) => data.failure !== undefined)) };
}
