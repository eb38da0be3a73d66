import type { Path } from './diagnostic.ts';
import { endpointsOf } from './endpoints-of.ts';
import type { LintContext } from './lint-context.ts';
import { nearestName } from './nearest.ts';
import type { Route } from './schema.ts';

/** SVC-POL-002: unknown names in a route. */
export function lintReferences(route: Route, path: Path, { report, providers, packs }: LintContext): void {
  for (const { provider, at } of endpointsOf(route)) {
    if (providers.names.includes(provider)) continue;
    const nearest = nearestName(provider, providers.names);
    report.error('SVC-POL-002', [...path, ...at], `unknown provider ${provider}`, { nearest });
  }
  for (const [stage, nodes] of Object.entries(route.pipeline)) {
    for (const [index, name] of nodes.entries()) {
      if (packs.names.includes(name)) continue;
      const nearest = nearestName(name, packs.names);
      report.error('SVC-POL-002', [...path, 'pipeline', stage, index], `unknown pack ${name}`, { nearest });
    }
  }
}
