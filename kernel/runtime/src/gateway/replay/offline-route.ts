import { type Guard, type GuardContext, isObject, type JsonObject, type RunEvent, STAGES, VERDICTS } from '@svc/contracts';
import type { PipelineNode, RuntimeRoute } from '@svc/kernel/routes';
import { needsModelCall } from '../runs/check-body.ts';

/** Why a guard is not asked: it reserves for a model call, retrieves documents, or sends texts to a service. */
export type NotAsked = 'reserves' | 'retrieves' | 'calls_service';

/** A route whose guards can be asked without a call to anything. */
export interface OfflineRoute {
  readonly runtime: RuntimeRoute;
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
  return { runtime: { ...route, ingress: enforcing(route.ingress), egress: enforcing(route.egress) }, not_asked };
}

/** The recorded verdicts of guards, as states of a run. */
export function recordedStates({ not_asked }: OfflineRoute, events: readonly RunEvent[]): Map<string, JsonObject> {
  const states = new Map<string, JsonObject>();
  for (const name of not_asked.keys()) {
    const verdictIn = (stage: string): [string, JsonObject][] => {
      const said = events.findLast((event) => event.event_type === 'verdict' && event.node === name && event.stage === stage);
      const { verdict, code } = said?.data ?? {};
      // Its masks are in the kept content.
      return verdict === 'block' || verdict === 'require_approval' ? [[stage, { verdict, code: String(code) }]] : [];
    };
    states.set(name, Object.fromEntries(STAGES.flatMap(verdictIn)));
  }
  return states;
}

function whyNotAsked(node: PipelineNode): NotAsked | null {
  if (node.guard.calls_service === true) return 'calls_service';
  if (!needsModelCall(node)) return null;
  return node.guard.reservations === undefined ? 'retrieves' : 'reserves';
}

function asRecorded({ guard: { stages } }: PipelineNode): Guard {
  return {
    stages,
    verdicts: VERDICTS,
    check: (_, { state, stage }: GuardContext) => {
      const said = state[stage];
      const { verdict, code } = isObject(said) ? said : {};
      const blocks = verdict === 'block' || verdict === 'require_approval';
      return { verdict: blocks ? verdict : 'allow', code: blocks ? String(code) : 'not_asked', edits: [], findings: [] };
    },
  };
}
