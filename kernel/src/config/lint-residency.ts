import type { Path } from './diagnostic.ts';
import { endpointsOf } from './endpoints-of.ts';
import type { LintContext } from './lint-context.ts';
import type { Route } from './schema.ts';

/**
 * SVC-POL-005: a route's endpoint, its fallbacks included, in a region that its `residency` does not list; an endpoint without a region is in none of them.
 * Only a warning where a guard of the route refuses it at run time.
 */
export function lintResidency(route: Route, path: Path, { report, providers, packs, nodes }: LintContext): void {
  const { residency } = route;
  if (residency === undefined) return;
  const guardedFrom = (region: string | undefined): boolean =>
    route.pipeline.ingress.some((name) => {
      const pack = packs.mended.get(name);
      if (pack === undefined || pack.mode !== 'enforce') return false;
      const guard = nodes.get(name)?.guard;
      // Where the guard could not be made, its type tells.
      if (guard === undefined) return (pack.type ?? name) === 'residency';
      return guard.allowed_regions !== undefined && (region === undefined || !guard.allowed_regions.includes(region));
    });
  for (const { provider, at } of endpointsOf(route)) {
    const section = providers.mended.get(provider);
    if (section === undefined || (section.region !== undefined && residency.includes(section.region))) continue;
    const where = section.region === undefined ? 'declares no region' : `is in ${section.region}`;
    const message = `provider ${provider} ${where}, the route's residency is ${residency.join(', ')}`;
    if (guardedFrom(section.region)) report.warning('SVC-POL-005', [...path, ...at], message);
    else report.error('SVC-POL-005', [...path, ...at], message);
  }
}
