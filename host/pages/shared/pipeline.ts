import { type Step, stepOf } from '../../src/trail/step.ts';
import type { Label } from '../../src/trail/words.ts';
import type { Route, RouteNode, RunEvent } from './api-types.ts';

/** One step of a route's pipeline. */
export interface Stop {
  readonly stage: 'ingress' | 'execute' | 'egress';
  readonly name: string;
  /** The guard's type, or the model's provider and region. */
  readonly kind: string;
  /** Null if the message did not get this far. */
  readonly label: Label | null;
  /** Whole milliseconds; null if not reported. */
  readonly took_ms: number | null;
  /** The finding or reason; empty if there is none. */
  readonly note: string;
}

/** The steps of a route, with the result of each from a run's events. */
export function stopsOf({ provider, pipeline }: Route, events: readonly RunEvent[]): Stop[] {
  const guard = (stage: 'ingress' | 'egress', { name, type, mode }: RouteNode): Stop => {
    const kind = mode === 'observe' ? `${type}, observe mode` : type;
    return { stage, name, kind, ...outcome(verdictOn(stage, name, events), decisionOn(stage, name, events)) };
  };
  const call = events.findLast(({ event_type }) => event_type === 'provider_call');
  // If a fallback answered, it is shown here.
  const model = typeof call?.data.model === 'string' ? call.data.model : provider.model;
  const name = call?.node ?? provider.name;
  const region = call === undefined ? provider.region : call.data.region;
  const place = typeof region === 'string' ? `${name}, region ${region}` : name;
  return [
    ...pipeline.ingress.map((node) => guard('ingress', node)),
    { stage: 'execute', name: model, kind: place, ...outcome(call, undefined) },
    ...pipeline.egress.map((node) => guard('egress', node)),
  ];
}

/** A guard that also checks the provider (residency) may have stopped the run here. */
function verdictOn(stage: string, name: string, events: readonly RunEvent[]): RunEvent | undefined {
  const verdicts = events.filter(
    ({ event_type, node }) => (event_type === 'verdict' || event_type === 'observed') && node === name,
  );
  const here = verdicts.findLast((event) => event.stage === stage);
  const atModel =
    stage === 'ingress' ? verdicts.findLast((event) => event.stage === 'execute' && event.data.verdict !== 'allow') : undefined;
  return atModel ?? here;
}

/** Undefined while the node waits for a decision; after an approval it may have paused the run again. */
function decisionOn(stage: string, name: string, events: readonly RunEvent[]): RunEvent | undefined {
  const index = events.findLastIndex(
    ({ event_type, node, data }) => event_type === 'decision' && node === name && !needsMore(data),
  );
  if (events.slice(index + 1).some(({ event_type, node }) => event_type === 'paused' && node === name)) return undefined;
  const paused = events.slice(0, Math.max(index, 0)).findLast(({ event_type, node }) => event_type === 'paused' && node === name);
  return paused !== undefined && (paused.stage === stage || (paused.stage === 'execute' && stage === 'ingress'))
    ? events[index]
    : undefined;
}

/** Whether an approval is one of several, and others must approve as well. */
function needsMore({ approvals }: RunEvent['data']): boolean {
  const { given = 0, needed = 0 }: { given?: number; needed?: number } = Object(approvals);
  return given < needed;
}

function outcome(event: RunEvent | undefined, decision: RunEvent | undefined): Pick<Stop, 'label' | 'took_ms' | 'note'> {
  if (event === undefined) return { label: null, took_ms: null, note: '' };
  const { label, note }: Step = stepOf(event);
  const took = event.data.duration_ms ?? event.data.latency_ms;
  const took_ms = typeof took === 'number' ? took : null;
  if (decision === undefined) return { label, took_ms, note };
  const { title, label: decided } = stepOf(decision);
  return { label: decided, took_ms, note: `${note}, ${title}` };
}
