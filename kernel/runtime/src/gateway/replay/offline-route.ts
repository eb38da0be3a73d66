import {
  type Endpoint,
  type EndpointVerdict,
  type Guard,
  isObject,
  type JsonObject,
  type RunEvent,
  VERDICTS,
} from '@svc/contracts';
import type { PipelineNode, RuntimeRoute } from '@svc/kernel/routes';
import { needsModelCall } from '../runs/check-body.ts';

/** Why a guard is not asked: it reserves for a model call, retrieves documents, or sends texts to a service. */
export type NotAsked = 'reserves' | 'retrieves' | 'calls_service';

/** A route whose guards can be asked without a call to anything. */
export interface OfflineRoute {
  readonly runtime: RuntimeRoute;
  /** The same route for runs whose kept request has retrieved documents: guards before the retrieval do not see them. */
  readonly retrieved: RuntimeRoute;
  /** Why a guard is not asked, by its name. */
  readonly not_asked: ReadonlyMap<string, NotAsked>;
}

/** Nobody waits, so a busy machine must not change a verdict. */
const TIMEOUT_MS = 600_000;

/**
 * A route without guards that only observe. A guard that is not asked returns its recorded verdict, see {@link recordedStates}; without one, it allows.
 */
export function offlineRoute(route: RuntimeRoute): OfflineRoute {
  const not_asked = new Map<string, NotAsked>();
  const nodes = new Map<string, PipelineNode>();
  const offline = (node: PipelineNode): PipelineNode => {
    const why = whyNotAsked(node);
    if (why !== null) not_asked.set(node.name, why);
    const made = nodes.get(node.name) ?? { ...node, timeout_ms: TIMEOUT_MS, guard: why === null ? node.guard : asRecorded(node) };
    nodes.set(node.name, made);
    return made;
  };
  const enforcing = (stage: readonly PipelineNode[]) => stage.filter(({ mode }) => mode === 'enforce').map(offline);
  const runtime = { ...route, ingress: enforcing(route.ingress), egress: enforcing(route.egress) };
  const { ingress } = runtime;
  const retrieval = ingress.findIndex(({ name }) => not_asked.get(name) === 'retrieves');
  const isBefore = (index: number): boolean => retrieval === -1 || index < retrieval;
  const without = ingress.map((node, index) => (isBefore(index) ? { ...node, guard: withoutDocuments(node.guard) } : node));
  return { runtime, retrieved: { ...runtime, ingress: without }, not_asked };
}

function withoutDocuments(guard: Guard): Guard {
  const { stages, verdicts, reads_numbers, reads_calls, endpoint } = guard;
  return {
    ...{ stages, verdicts, ...(reads_numbers && { reads_numbers }), ...(reads_calls && { reads_calls }) },
    check: (segments, ctx) =>
      guard.check(ctx.stage === 'ingress' ? segments.filter(({ origin }) => origin !== 'retrieved') : segments, ctx),
    ...(endpoint && { endpoint: (ctx, at) => endpoint.call(guard, ctx, at) }),
  };
}

/** The recorded verdicts of guards, as states of a run. What a guard said after a pause is not among them. */
export function recordedStates({ not_asked }: OfflineRoute, events: readonly RunEvent[]): Map<string, JsonObject> {
  const states = new Map<string, JsonObject>();
  for (const name of not_asked.keys()) {
    const state: JsonObject = {};
    for (const { event_type, node, stage, data } of events) {
      if (event_type !== 'verdict' || node !== name) continue;
      state[data.endpoint === undefined ? stage : placeOf(data.endpoint)] ??= {
        verdict: String(data.verdict),
        code: String(data.code),
      };
    }
    states.set(name, state);
  }
  return states;
}

/** Names an endpoint in the state of a guard. */
function placeOf({ provider, model, region }: Endpoint): string {
  return JSON.stringify([provider, model, region]);
}

function whyNotAsked(node: PipelineNode): NotAsked | null {
  if (node.guard.calls_service === true) return 'calls_service';
  if (!needsModelCall(node)) return null;
  return node.guard.reservations === undefined ? 'retrieves' : 'reserves';
}

function asRecorded({ guard: { stages, endpoint } }: PipelineNode): Guard {
  return {
    stages,
    verdicts: VERDICTS,
    check: (_, { state, stage }) => ({ ...recordedAt(stage, state), edits: [], findings: [] }),
    ...(endpoint && { endpoint: ({ state }, at) => recordedAt(placeOf(at), state) }),
  };
}

function recordedAt(place: string, state: JsonObject): EndpointVerdict {
  const said = state[place];
  const { verdict, code } = isObject(said) ? said : {};
  // Its masks are in the kept content.
  const stops = verdict === 'block' || verdict === 'require_approval';
  return stops ? { verdict, code: String(code) } : { verdict: 'allow', code: 'not_asked' };
}
