import type { Path } from './diagnostic.ts';
import type { LintContext } from './lint-context.ts';
import type { Route } from './schema.ts';

/**
 * SVC-POL-005: a route's endpoint in a region that its `residency` does not list; an endpoint without a region is in none of them.
 * Only a warning where a residency guard of the route decides at run time.
 */
export function lintResidency(route: Route, path: Path, { report, providers, packs }: LintContext): void {
  const provider = providers.mended.get(route.provider);
  if (route.residency === undefined || provider === undefined) return;
  if (provider.region !== undefined && route.residency.includes(provider.region)) return;
  const where = provider.region === undefined ? 'declares no region' : `is in ${provider.region}`;
  const message = `provider ${route.provider} ${where}, the route's residency is ${route.residency.join(', ')}`;
  const isGuarded = route.pipeline.ingress.some((name) => {
    const pack = packs.mended.get(name);
    return pack !== undefined && (pack.type ?? name) === 'residency' && pack.mode === 'enforce';
  });
  if (isGuarded) report.warning('SVC-POL-005', [...path, 'provider'], message);
  else report.error('SVC-POL-005', [...path, 'provider'], message);
}
