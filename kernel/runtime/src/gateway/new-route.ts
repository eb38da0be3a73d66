import { NodeSettings, STAGES } from '@svc/contracts';
import { isGuard } from '@svc/kernel/plugins';
import { nodesOf, type PipelineNode, ROUTE_DEFAULTS, type RouteEndpoint, type RuntimeRoute } from '@svc/kernel/routes';
import { canonicalJson, sha256 } from '@svc/ledger';
import { Value } from 'typebox/value';
import type { RouteDefinition, RouteInventory } from '../records/ledger/inventory.ts';
import { withPriceOf } from './with-price.ts';

/** `K` is required; the rest has defaults. */
type Given<T, K extends keyof T> = Pick<T, K> & Partial<T>;

/** A route that a program defines. Its defaults are the same as in a configuration file. */
export interface NewRoute
  extends Partial<Omit<RuntimeRoute, 'name' | 'endpoints' | 'ingress' | 'egress' | 'digest' | 'config_digest'>> {
  /** The weighted endpoints, then the fallbacks in the order in which they are called. */
  readonly endpoints: readonly Given<RouteEndpoint, 'provider' | 'model' | 'instance'>[];
  readonly ingress?: readonly NewNode[];
  readonly egress?: readonly NewNode[];
  /** Fields of the inventory record that cannot be derived. */
  readonly inventory?: Partial<RouteDefinition>;
}

type NewNode = Given<PipelineNode, 'name' | 'guard'>;

const TIMEOUTS = { timeout_ms: 300_000, first_chunk_timeout_ms: 300_000, idle_timeout_ms: 60_000, stream_timeout_ms: 1_800_000 };

/**
 * @param config_digest digest of everything that a program can set, including options of guards: an approval applies only to the route that it was
 * given for
 * @throws if a guard cannot be used where the route has it
 */
export function buildRoute(
  name: string,
  { endpoints, ingress = [], egress = [], inventory = {}, ...rules }: NewRoute,
  config_digest: string,
): { runtime: RuntimeRoute; inventory: RouteInventory } {
  const runtime: RuntimeRoute = {
    ...ROUTE_DEFAULTS,
    name,
    endpoints: endpoints.map((endpoint) =>
      withPriceOf({ region: null, timeouts: TIMEOUTS, weight: null, ...endpoint }, [...ingress, ...egress]),
    ),
    ingress: ingress.map(nodeOf),
    egress: egress.map(nodeOf),
    digest: sha256(canonicalJson({ name, config_digest })),
    config_digest,
    ...rules,
  };
  assertFit(runtime);
  return { runtime, inventory: { review_interval_days: null, config_path: '', definition: definitionOf(runtime, inventory) } };
}

function nodeOf(node: NewNode): PipelineNode {
  return {
    namespaces: [],
    package: 'unknown',
    version: 'unknown',
    ...Value.Create(NodeSettings),
    ...node,
  };
}

/** Throws what lint would report as an error in a configuration file. */
function assertFit(route: RuntimeRoute): void {
  const { name: where, endpoints } = route;
  if (endpoints.length === 0) throw new Error(`route ${where} has no endpoint`);
  for (const { name, guard, mode } of nodesOf(route)) {
    if (!isGuard(guard)) throw new Error(`route ${where}: ${name} is not a guard`);
    const placed = STAGES.filter((stage) => route[stage].some((node) => node.name === name));
    const other = STAGES.flatMap((stage) => route[stage]).find((node) => node.name === name && node.guard !== guard);
    if (other !== undefined) throw new Error(`route ${where}: two guards have the name ${name}`);
    const foreign = placed.find((stage) => !guard.stages.includes(stage));
    if (foreign !== undefined) throw new Error(`route ${where}: the guard ${name} does not support the stage ${foreign}`);
    const faults = guard.lint?.({ stages: placed, endpoints, embedder: null }) ?? [];
    const fault = faults.find(({ code }) => code === 'SVC-POL-003' || (code === 'SVC-POL-010' && mode === 'enforce'));
    if (fault !== undefined) throw new Error(`route ${where}: ${name}: ${fault.message}`);
  }
}

function definitionOf(route: RuntimeRoute, given: Partial<RouteDefinition>): RouteDefinition {
  const [first, ...fallbacks] = route.endpoints;
  const guards = nodesOf(route).flatMap((node) => [`${node.package}@${node.version}`, ...(node.guard.dependencies ?? [])]);
  return {
    record_type: 'model_inventory',
    model_id: route.name,
    model_name: first?.model ?? '',
    model_description: null,
    model_risk_rating: null,
    model_owner: null,
    model_developer: first?.provider ?? '',
    model_origin: `${first?.provider} (${first?.region ?? 'region unknown'})`,
    model_version: route.model_version,
    model_dependencies: [
      `provider ${first?.provider}`,
      ...fallbacks.map(({ provider, model }) => `fallback ${provider} ${model}`),
      ...new Set(guards),
    ],
    data_sources: nodesOf(route).flatMap(({ namespaces }) => namespaces.map((namespace) => `RAG namespace ${namespace}`)),
    approved_uses: {},
    model_limitations: [],
    monitoring_status: '',
    date_of_most_recent_review: null,
    ...given,
  };
}
