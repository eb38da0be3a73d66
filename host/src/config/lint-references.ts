import type { Path } from './diagnostic.ts';
import { endpointsOf } from './endpoints-of.ts';
import type { LintContext } from './lint-context.ts';
import { nearestName } from './nearest.ts';
import type { Route } from './routes-section.ts';

/** Whether a route's name ends in `*`. Such a route serves every model with that prefix. */
function isPattern(name: string): boolean {
  return name.endsWith('*');
}

/** SVC-POL-001: a route that has no endpoint or model, or that gives it in two ways. */
export function lintEndpoints(name: string, route: Route, path: Path, { report }: LintContext): void {
  const { provider, model, endpoints } = route;
  for (const { model: named, at } of endpointsOf(route)) {
    if (named !== undefined || isPattern(name)) continue;
    const where = [...path, ...at.slice(0, -1), 'model'];
    report.error('SVC-POL-001', where, 'is missing; only a route whose name ends in * uses the model that the client requests', {
      at: 'key',
    });
  }
  if (endpoints !== undefined) {
    const beside = provider === undefined ? 'model' : 'provider';
    if (provider !== undefined || model !== undefined)
      report.error('SVC-POL-001', [...path, beside], 'cannot be used with endpoints; remove one of them', { at: 'key' });
    return;
  }
  if (provider === undefined)
    report.error('SVC-POL-001', [...path, 'provider'], 'is missing', { expected: 'provider and model, or endpoints', at: 'key' });
}

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
