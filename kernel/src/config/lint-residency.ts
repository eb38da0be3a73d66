import type { Path } from './diagnostic.ts';
import { endpointsOf } from './endpoints-of.ts';
import type { LintContext } from './lint-context.ts';
import type { Route } from './schema.ts';

/**
 * SVC-POL-005: a route's endpoint, its fallbacks included, in a region that its `residency` does not list; an endpoint without a region is in none of them.
 * Only a warning where a residency guard of the route decides at run time.
 */
export function lintResidency(route: Route, path: Path, { report, providers, packs }: LintContext): void {
  const { residency } = route;
  if (residency === undefined) return;
  const isGuarded = route.pipeline.ingress.some((name) => {
    const pack = packs.mended.get(name);
    return pack !== undefined && (pack.type ?? name) === 'residency' && pack.mode === 'enforce';
  });
  for (const { provider, at } of endpointsOf(route)) {
    const section = providers.mended.get(provider);
    if (section === undefined || (section.region !== undefined && residency.includes(section.region))) continue;
    const where = section.region === undefined ? 'declares no region' : `is in ${section.region}`;
    const message = `provider ${provider} ${where}, the route's residency is ${residency.join(', ')}`;
    if (isGuarded) report.warning('SVC-POL-005', [...path, ...at], message);
    else report.error('SVC-POL-005', [...path, ...at], message);
  }
}
