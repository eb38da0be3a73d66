import type { Endpoint } from '@svc/contracts';
import { withPriceOf } from '@svc/runtime';
import type { Path } from './diagnostic.ts';
import { endpointsOf } from './endpoints-of.ts';
import type { LintContext } from './lint-context.ts';
import type { Route } from './routes-section.ts';

/** SVC-POL-013: a model without a price, where the configuration has prices. */
export function lintPrices(route: Route, path: Path, { report, nodes, prices }: LintContext): void {
  if (prices === null) return;
  const { ingress, egress } = route.pipeline;
  const guards = [...ingress, ...egress].flatMap((name) => nodes.get(name) ?? []);
  for (const { provider, model, at } of endpointsOf(route)) {
    if (model === undefined) continue;
    const endpoint: Endpoint = { provider, model, region: null };
    const { price } = withPriceOf(prices.priced(endpoint), guards);
    if (price !== undefined) continue;
    const message = `no price for model ${model.slice(0, 100)} of provider ${provider}: add the model to prices.models, or the provider's vendor to prices.vendors`;
    report.warning('SVC-POL-013', [...path, ...at.slice(0, -1), 'model'], message);
  }
}
