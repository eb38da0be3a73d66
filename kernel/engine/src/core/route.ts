import type { Endpoint, Guard, NodeSettings, Provider, UpstreamTimeouts } from '@svc/contracts';

/** One enabled guard, as a pipeline uses it. */
export interface PipelineNode extends NodeSettings {
  /** The key in `packs`. */
  readonly name: string;
  readonly guard: Guard;
  /** RAG namespaces that the guard opened. */
  readonly namespaces: readonly string[];
  readonly package: string;
  readonly version: string;
}

/** A provider with the model that a route asks of it. */
export interface RouteEndpoint extends Endpoint {
  readonly instance: Provider;
  readonly timeouts: UpstreamTimeouts;
}

/** A route with everything resolved: what a run goes through. */
export interface RuntimeRoute {
  readonly name: string;
  /** The provider, then its fallbacks, in the order in which they are tried. */
  readonly endpoints: readonly RouteEndpoint[];
  readonly ingress: readonly PipelineNode[];
  readonly egress: readonly PipelineNode[];
  /** What happens to a request or answer with parts that no guard can read. */
  readonly unscannable: 'pass' | 'block' | 'require_approval';
  /** What a guard that masks does to texts that are embedded: what is masked in an index is not found, and nobody is told. */
  readonly embeddings: 'block' | 'mask';
  /** Types of tools that run at the provider's vendor and may be asked for; others are taken out of requests. */
  readonly vendor_tools: readonly string[];
  readonly approvers: readonly string[];
  /** How long a caller on the line waits for a decision, in milliseconds; 0: not at all. */
  readonly approval_wait_ms: number;
  /** Whether who asked may also decide. */
  readonly self_approval: boolean;
  readonly model_version: string | null;
  /** `sha256:` and hex over the route, its packs, providers and plugin versions; changes when a decision must be looked at again. */
  readonly digest: string;
}

/** By route, which does not change. */
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

/** The endpoint that a run on this route is sent to first. */
export function firstEndpoint({ route }: { readonly route: RuntimeRoute }): Endpoint | null {
  const [first] = route.endpoints;
  return first === undefined ? null : { model: first.model, provider: first.provider, region: first.region };
}

/** Whether nodes can change or stop anything. Where none can, nothing is written back, not even in another form. */
export function anyEnforces(nodes: readonly PipelineNode[]): boolean {
  return nodes.some(({ mode }) => mode === 'enforce');
}

/** Whether any of them looks at numbers. */
export function anyReadsNumbers(nodes: readonly PipelineNode[]): boolean {
  return nodes.some(({ guard }) => guard.reads_numbers === true);
}

/** A route that the configuration does not have any more is stood for by an empty one: its runs still end with evidence. */
export function routeOrTombstone(name: string, { routes }: { readonly routes: ReadonlyMap<string, RuntimeRoute> }): RuntimeRoute {
  const route = routes.get(name);
  if (route !== undefined) return route;
  return {
    name,
    endpoints: [],
    ingress: [],
    egress: [],
    unscannable: 'pass',
    embeddings: 'block',
    vendor_tools: [],
    approvers: [],
    approval_wait_ms: 0,
    self_approval: true,
    model_version: null,
    digest: '',
  };
}
