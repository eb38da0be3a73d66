import type { RuntimeRoute } from '@svc/kernel/routes';
import { canStream } from '@svc/runtime/streaming';
import type { BuiltRoute } from '../config/build-routes.ts';
import type { ResolvedConfig } from '../config/index.ts';
import type { ServedRoute } from '../http/find-route.ts';
import type { RouteView } from '../http/schemas.ts';
import { capabilitiesOf } from '../prices/capabilities.ts';

/** Each route by name: for running it and for describing it. */
export function servedRoutes(config: ResolvedConfig, built: readonly BuiltRoute[]): Map<string, ServedRoute> {
  return new Map(
    built.map(({ runtime }) => {
      const capabilities = (model: string) =>
        capabilitiesOf(
          runtime.endpoints.map((endpoint) => endpoint.forModel?.(model) ?? endpoint),
          config.prices,
        );
      return [runtime.name, { runtime, attributes: attributesOf(config, runtime), capabilities }];
    }),
  );
}

function attributesOf(config: ResolvedConfig, runtime: RuntimeRoute): RouteView {
  const { name, escalate } = runtime;
  const route = config.routes.get(name);
  const [first, ...others] = runtime.endpoints;
  const provider = config.providers.get(first?.provider ?? '');
  if (route === undefined || first === undefined || provider === undefined)
    throw new Error(`the route ${name} is not configured`);
  const nodes = (stage: readonly string[]): RouteView['pipeline']['ingress'] =>
    stage.flatMap((pack) => {
      const node = config.packs.get(pack);
      if (node === undefined) return [];
      const { type, version, mode, guard } = node;
      const verdicts = guard.verdicts.filter((verdict) => verdict !== 'allow');
      return [{ name: node.name, type, package: node.package, version, mode, verdicts }];
    });
  return {
    name,
    owner: route.owner ?? null,
    risk_rating: route.risk_rating ?? null,
    review_interval_days: route.review_interval_days ?? null,
    residency: route.residency ?? [],
    approvers: route.approvers,
    escalate: escalate === null ? null : { after_s: escalate.after_ms / 1000, approvers: [...escalate.approvers] },
    provider: { name: provider.name, type: provider.type, region: provider.region, model: first.model, weight: first.weight },
    fallbacks: others.map((other) => ({ name: other.provider, model: other.model, weight: other.weight })),
    pipeline: { ingress: nodes(route.pipeline.ingress), egress: nodes(route.pipeline.egress) },
    stops: runtime.stops,
    streams: canStream(runtime) ? 'as-it-comes' : 'when-judged',
  };
}
