import type { AnyProvider, Endpoint, Guard, NodeSettings, TextOrigin, UpstreamTimeouts } from '@svc/contracts';
import type { Affinity } from '../endpoints/affinity.ts';

/** One enabled guard, as a pipeline uses it. */
export interface PipelineNode extends NodeSettings {
  /** The guard's key in `packs`. */
  readonly name: string;
  readonly guard: Guard;
  /** RAG namespaces that the guard opened. */
  readonly namespaces: readonly string[];
  readonly package: string;
  readonly version: string;
  /** Real path of the guard's package folder. Absent: not known, so no failure is reported with a place in the code. */
  readonly directory?: string;
}

/** A provider with the model that a route uses. */
export interface RouteEndpoint extends Endpoint {
  readonly instance: AnyProvider;
  readonly timeouts: UpstreamTimeouts;
  /** Its share of the runs among the weighted endpoints. Null: a fallback. */
  readonly weight: number | null;
  /** Present if callers name the model: the route's name as a pattern, which matches all names of that form. */
  readonly pattern?: string;
  /** With `pattern`: the price of a model that a caller names. */
  readonly forModel?: (model: string) => RouteEndpoint;
}

/** A route with all references resolved. A new field also needs a line in `route-defaults.ts` and in `build-routes.ts` of the host. */
export interface RuntimeRoute {
  readonly name: string;
  /** The weighted endpoints, then the fallbacks in the order in which they are tried. */
  readonly endpoints: readonly RouteEndpoint[];
  readonly affinity: Affinity;
  /** How often a call to one endpoint is repeated if it cost nothing. */
  readonly retries: number;
  readonly ingress: readonly PipelineNode[];
  readonly egress: readonly PipelineNode[];
  /** What happens to a request or answer with parts that no guard can read. */
  readonly unscannable: 'pass' | 'block' | 'require_approval';
  /** Origins of texts that guards see as untrusted. `unknown` always is. */
  readonly untrusted: readonly TextOrigin[];
  /** What happens if a guard masks text that is to be embedded. If it is masked, a search for the original text does not find it. */
  readonly embeddings: 'block' | 'mask';
  /** Types of vendor tools that callers may request. Others are removed from requests. */
  readonly vendor_tools: readonly string[];
  /** How clients learn that a run was stopped: from text in the answer, from a refusal as their API defines it, or from an error. */
  readonly stops: 'text' | 'refusal' | 'error';
  readonly approvers: readonly string[];
  /** How long a synchronous caller waits for a decision, in milliseconds; 0: not at all. */
  readonly approval_wait_ms: number;
  /** Whether the caller may also decide. */
  readonly self_approval: boolean;
  /** How many people must approve a paused run. */
  readonly approvals: number;
  /** Who else may decide on a run that has been paused for this time; null: nobody. */
  readonly escalate: { readonly after_ms: number; readonly approvers: readonly string[] } | null;
  /** Whether each decision needs a reason, and a signature by a passkey. */
  readonly approval_reason: 'optional' | 'required';
  readonly approval_passkey: 'none' | 'optional' | 'required';
  readonly model_version: string | null;
  /** `sha256:` and the hex digest of the route, its packs, providers and plugin versions. If it changes during a pause, the paused stage is repeated. */
  readonly digest: string;
  /** Digest of the configuration that the route comes from. A run keeps its route and this digest, even after a reload. */
  readonly config_digest: string;
}

/** Cached per route, because routes do not change. */
const nodes = new WeakMap<RuntimeRoute, readonly PipelineNode[]>();

/** Every node of a route once, in order of first appearance. */
export function nodesOf(route: RuntimeRoute): readonly PipelineNode[] {
  let all = nodes.get(route);
  if (all === undefined) {
    all = [...new Map([...route.ingress, ...route.egress].map((node) => [node.name, node])).values()];
    nodes.set(route, all);
  }
  return all;
}

/** Whether nodes can change or stop anything. If not, the payload is not written back, because that could change the form of its JSON. */
export function anyEnforces(nodes: readonly PipelineNode[]): boolean {
  return nodes.some(({ mode }) => mode === 'enforce');
}

/** Whether any node reads numbers. */
export function anyReadsNumbers(nodes: readonly PipelineNode[]): boolean {
  return nodes.some(({ guard }) => guard.reads_numbers === true);
}
