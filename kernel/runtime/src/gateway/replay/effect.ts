import type { EventStage, RunEvent, RunRow } from '@svc/contracts';

/** A guard, or a rule of the route, that acted on a run. */
export interface GuardAct {
  readonly stage: EventStage;
  readonly node: string;
  readonly code: string;
}

/** What guards did to a run. A guard is listed once for each stage. */
export interface Effect {
  /** Null: nothing blocked the run. */
  readonly blocked: GuardAct | null;
  readonly paused: readonly GuardAct[];
  readonly masked: readonly GuardAct[];
}

export const OUTCOMES = ['passed', 'masked', 'paused', 'blocked'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The strictest of what guards did. */
export function outcomeOf({ blocked, paused, masked }: Effect): Outcome {
  if (blocked !== null) return 'blocked';
  if (paused.length > 0) return 'paused';
  return masked.length > 0 ? 'masked' : 'passed';
}

/** What the events say about pauses and masked texts. */
export function pausesAndMasks(events: readonly RunEvent[]): Pick<Effect, 'paused' | 'masked'> {
  return { paused: distinct(events.filter(isPause)), masked: distinct(events.filter(isMask)) };
}

/** What guards did to a recorded run. `events`: all of the run. */
export function recordedEffect({ status }: Pick<RunRow, 'status'>, events: readonly RunEvent[]): Effect {
  const found = pausesAndMasks(events);
  if (status !== 'blocked') return { blocked: null, ...found };
  const block = events.findLast(isBlock);
  return block === undefined ? pauseAsBlock(found) : { blocked: actOf(block), ...found };
}

/** The effect on a run that cannot wait, such as a check or an embeddings request: its last pause blocks it. */
export function pauseAsBlock({ paused, masked }: Pick<Effect, 'paused' | 'masked'>): Effect {
  return { blocked: paused.at(-1) ?? null, paused: paused.slice(0, -1), masked };
}

/** The pause at which a recorded run ended or still waits. Null: it has none, or went on after each. */
export function lastHold({ status }: Pick<RunRow, 'status'>, events: readonly RunEvent[]): GuardAct | null {
  const at = events.findLastIndex(isPause);
  const pause = events[at];
  const went_on = status === 'completed' || events.slice(at + 1).some(({ event_type }) => LATER.has(event_type));
  return pause === undefined || went_on ? null : actOf(pause);
}

/** Events that a run has only if it goes on after a pause. */
const LATER: ReadonlySet<RunEvent['event_type']> = new Set(['verdict', 'observed', 'skipped', 'provider_call']);

export const CHANGES = ['newly_blocked', 'newly_paused', 'newly_masked', 'freed'] as const;
export type Change = (typeof CHANGES)[number];

/** How a run differs. `by`: the guards that act now or, for a freed run, acted before. */
export interface RunChange {
  readonly change: Change;
  readonly by: readonly GuardAct[];
}

/**
 * How the effect on a run differs from the recorded one. Null: not at all. Kept content has the recorded masks, so it cannot show that a text would no
 * longer be masked. What a guard masks again, it masked before.
 */
export function changeOf(before: Effect, after: Effect): RunChange | null {
  const [was, is] = [outcomeOf(before), outcomeOf(after)];
  if (after.blocked !== null) return was === 'blocked' ? null : { change: 'newly_blocked', by: [after.blocked] };
  if (is === 'paused') return was === 'paused' ? null : { change: 'newly_paused', by: after.paused };
  if (was === 'blocked' || was === 'paused')
    return { change: 'freed', by: before.blocked === null ? before.paused : [before.blocked] };
  const masks = after.masked.filter((act) => !before.masked.some((other) => isSame(act, other)));
  return masks.length === 0 ? null : { change: 'newly_masked', by: masks };
}

function isPause({ event_type, stage, node, data }: RunEvent): boolean {
  if (event_type === 'paused' || event_type === 'reused') return true;
  // A guard may refuse one endpoint, and the run continues with another.
  const counts = stage !== 'execute' || node === OPERATOR;
  return event_type === 'verdict' && counts && data.verdict === 'require_approval';
}

/** The node of an operator's rule that runs of a route need approval. */
export const OPERATOR = 'operator';

function isMask({ event_type, data }: RunEvent): boolean {
  return event_type === 'verdict' && data.verdict === 'sanitize';
}

function isBlock({ event_type, data }: RunEvent): boolean {
  return event_type === 'verdict' && data.verdict === 'block';
}

function actOf({ stage, node, data }: RunEvent): GuardAct {
  return { stage, node, code: String(data.code) };
}

function distinct(events: readonly RunEvent[]): GuardAct[] {
  const acts: GuardAct[] = [];
  for (const act of events.map(actOf)) if (!acts.some((other) => isSame(act, other))) acts.push(act);
  return acts;
}

export function isSame(one: Pick<GuardAct, 'stage' | 'node'>, other: Pick<GuardAct, 'stage' | 'node'>): boolean {
  return one.stage === other.stage && one.node === other.node;
}
