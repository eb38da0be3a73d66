import type { Path } from './diagnostic.ts';
import { endpointsOf } from './endpoints-of.ts';
import type { LintContext } from './lint-context.ts';
import type { Route } from './schema.ts';

/**
 * SVC-POL-005: a route's endpoint, its fallbacks included, in a region that its `residency` does not list; an endpoint without a region is in none of them.
 * Only a warning where a guard of the route decides at run time; and a warning of what that guard would not let pass, declared or not.
 */
export function lintResidency(route: Route, path: Path, context: LintContext): void {
  const { report, providers } = context;
  const { residency } = route;
  for (const { provider, at } of endpointsOf(route)) {
    const section = providers.mended.get(provider);
    if (section === undefined) continue;
    const { region } = section;
    const outside = residency !== undefined && (region === undefined || !residency.includes(region));
    const guard = guardAgainst(region, route, context);
    if (!outside && guard === null) continue;
    const where = region === undefined ? 'declares no region' : `is in ${region}`;
    const declared = outside ? `; the route's residency is ${residency.join(', ')}` : '';
    const decides = guard === null ? '' : `; ${guard} decides at run time`;
    const message = `provider ${provider} ${where}${declared}${decides}`;
    if (guard === null) report.error('SVC-POL-005', [...path, ...at], message);
    else report.warning('SVC-POL-005', [...path, ...at], message);
  }
}

/** The pack of the route that does not simply let a call to this region pass, null: none. */
function guardAgainst(region: string | undefined, route: Route, { packs, nodes }: LintContext): string | null {
  const found = route.pipeline.ingress.find((name) => {
    const pack = packs.mended.get(name);
    if (pack === undefined || pack.mode !== 'enforce') return false;
    const guard = nodes.get(name)?.guard;
    // Where the guard could not be made, its type tells.
    if (guard === undefined) return route.residency !== undefined && (pack.type ?? name) === 'residency';
    return guard.allowed_regions !== undefined && (region === undefined || !guard.allowed_regions.includes(region));
  });
  return found ?? null;
}
