import type { GuardAnswers } from './ask-guard.ts';
import type { Path } from './diagnostic.ts';
import { endpointsOf } from './endpoints-of.ts';
import type { LintContext } from './lint-context.ts';
import type { Route } from './routes-section.ts';

/**
 * SVC-POL-005: an endpoint of a route, fallbacks included, in a region that the route's `residency` does not list. An endpoint without a region is in
 * no region. Only a warning if a guard of the route decides at run time. Endpoints that this guard would refuse also get a warning.
 */
export function lintResidency(route: Route, path: Path, context: LintContext, answers: GuardAnswers): void {
  const { report, providers } = context;
  const { residency } = route;
  for (const [index, { provider, at }] of endpointsOf(route).entries()) {
    const section = providers.repaired.get(provider);
    if (section === undefined) continue;
    const { region } = section;
    const outside = residency !== undefined && (region === undefined || !residency.includes(region));
    const guard = guardAgainst(index, route, context, answers);
    if (!outside && guard === null) continue;
    const where = region === undefined ? 'declares no region' : `is in ${region}`;
    const declared = outside ? `; the route's residency is ${residency.join(', ')}` : '';
    const decides = guard === null ? '' : `; the guard ${guard.name} decides for each run${guard.because}`;
    const message = `provider ${provider} ${where}${declared}${decides}`;
    if (guard === null) report.error('SVC-POL-005', [...path, ...at], message);
    else report.warning('SVC-POL-005', [...path, ...at], message);
  }
}

/** The pack of the route that may refuse a call to this endpoint, or null. */
function guardAgainst(
  index: number,
  route: Route,
  { packs }: LintContext,
  answers: GuardAnswers,
): { name: string; because: string } | null {
  for (const name of route.pipeline.ingress) {
    const pack = packs.repaired.get(name);
    if (pack === undefined || pack.mode !== 'enforce') continue;
    const answer = answers.get(name);
    // If the guard could not be created, the pack's type decides.
    if (answer === undefined && route.residency !== undefined && (pack.type ?? name) === 'residency')
      return { name, because: '' };
    const found = answer?.diagnostics.find((one) => one.code === 'SVC-POL-005' && one.endpoint === index);
    if (found !== undefined) return { name, because: `: ${found.message}` };
  }
  return null;
}
