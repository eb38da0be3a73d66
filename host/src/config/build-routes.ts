import type { PipelineNode, RuntimeRoute } from '@svc/kernel/routes';
import { canonicalJson, sha256 } from '@svc/ledger';
import { withPriceOf } from '@svc/runtime';
import type { RouteInventory } from '@svc/runtime/records';
import { durationMs } from './duration.ts';
import {
  endpointsOf,
  type PackNode,
  type ProviderNode,
  type ResolvedConfig,
  type Route as RouteConfig,
  redactForDigest,
} from './index.ts';

/** A configured route with its instances, and its inventory record. */
export interface BuiltRoute {
  readonly runtime: RuntimeRoute;
  readonly inventory: RouteInventory;
}

/** Resolves every route of a configuration. The configuration must have no errors. */
export function buildRoutes(config: ResolvedConfig): BuiltRoute[] {
  return [...config.routes].map(([name, route]) => {
    const endpoints = endpointsOf(route).map(({ provider, model, weight }) => ({
      provider: known(config.providers, provider),
      model: model ?? name,
      ...(model === undefined && { pattern: name }),
      weight,
    }));
    const providers = endpoints.map(({ provider }) => provider);
    const packs = new Map([...route.pipeline.ingress, ...route.pipeline.egress].map((pack) => [pack, known(config.packs, pack)]));
    const nodes = new Map([...packs].map(([pack, node]) => [pack, pipelineNode(node)]));
    const runtime: RuntimeRoute = {
      name,
      endpoints: endpoints.map(({ provider, model, pattern, weight }) => {
        const { name: called, region, instance, timeouts } = provider;
        const passes = pattern === undefined ? {} : { pattern };
        const named = (model: string) => {
          const endpoint = { provider: called, model, weight, region, instance, timeouts, ...passes };
          return withPriceOf(config.prices?.priced(endpoint) ?? endpoint, packs.values());
        };
        return pattern === undefined ? named(model) : { ...named(model), forModel: named };
      }),
      affinity: route.affinity,
      retries: route.retries,
      ingress: route.pipeline.ingress.map((pack) => known(nodes, pack)),
      egress: route.pipeline.egress.map((pack) => known(nodes, pack)),
      unscannable: route.unscannable,
      untrusted: route.untrusted,
      embeddings: route.embeddings,
      vendor_tools: route.vendor_tools,
      stops: route.stops,
      approvers: route.approvers,
      approval_wait_ms: route.approval_wait_ms,
      self_approval: route.self_approval,
      approvals: route.approvals,
      escalate:
        route.escalate === undefined ? null : { after_ms: durationMs(route.escalate.after), approvers: route.escalate.approvers },
      approval_reason: route.approval_reason,
      approval_passkey: route.approval_passkey,
      model_version: route.version ?? null,
      digest: routeDigest(route, providers, [...packs.values()]),
      config_digest: config.digest,
    };
    return { runtime, inventory: inventoryOf(name, route, endpoints, [...packs.values()], config.path) };
  });
}

/** The nodes that check documents before they are indexed. */
export function buildIndexPipeline({ rag, packs }: ResolvedConfig): PipelineNode[] {
  return (rag?.index_pipeline ?? []).map((pack) => pipelineNode(known(packs, pack)));
}

/** A pack without the fields that only the configuration needs. */
function pipelineNode({ type: _, rawOptions, optionsSchema, fingerprint, ...node }: PackNode): PipelineNode {
  return node;
}

/** Digest of everything that an approval depends on. If it changes, a paused payload is checked again. API keys are not part of it. */
function routeDigest(route: RouteConfig, providers: readonly ProviderNode[], packs: readonly PackNode[]): string {
  const parts = {
    route,
    providers: providers.map(({ instance: _, fingerprint: _made, directory: _folder, rawOptions, optionsSchema, ...rest }) => ({
      ...rest,
      options: redactForDigest(rawOptions, optionsSchema),
    })),
    packs: packs.map(
      ({ guard: _, namespaces: _opened, fingerprint: _made, directory: _folder, rawOptions, optionsSchema, ...rest }) => ({
        ...rest,
        options: redactForDigest(rawOptions, optionsSchema),
      }),
    ),
  };
  return sha256(canonicalJson(parts));
}

function inventoryOf(
  name: string,
  route: RouteConfig,
  endpoints: readonly { provider: ProviderNode; model: string }[],
  packs: readonly PackNode[],
  config_path: string,
): RouteInventory {
  const [first, ...fallbacks] = endpoints;
  if (first === undefined) throw new Error('a route without a provider after lint');
  const { provider } = first;
  const region = provider.region ?? 'region unknown';
  const dependencies = [...endpoints.map((endpoint) => endpoint.provider), ...packs].map(
    ({ package: from, version }) => `${from}@${version}`,
  );
  return {
    review_interval_days: route.review_interval_days ?? null,
    config_path,
    definition: {
      record_type: 'model_inventory',
      model_id: name,
      model_name: first.model,
      model_description: route.description ?? null,
      model_risk_rating: route.risk_rating ?? null,
      model_owner: route.owner ?? null,
      model_developer: provider.developer,
      model_origin: route.origin ?? `${provider.name} (${region})`,
      model_version: route.version ?? null,
      model_dependencies: [
        `provider ${provider.name}`,
        ...fallbacks.map((fallback) => `fallback ${fallback.provider.name} ${fallback.model}`),
        ...new Set([...dependencies, ...packs.flatMap(({ guard }) => guard.dependencies ?? [])]),
      ],
      data_sources: [
        ...new Set([
          ...route.data_sources,
          ...packs.flatMap(({ namespaces }) => namespaces.map((namespace) => `RAG namespace ${namespace}`)),
        ]),
      ],
      approved_uses: route.approved_uses,
      model_limitations: route.limitations,
      monitoring_status: route.monitoring_status ?? '',
      date_of_most_recent_review: route.last_review ?? null,
    },
  };
}

/** Lint has checked references, so an unknown one is a bug. */
function known<T>(map: ReadonlyMap<string, T>, name: string): T {
  const found = map.get(name);
  if (found === undefined) throw new Error(`unknown reference ${name} after lint`);
  return found;
}
