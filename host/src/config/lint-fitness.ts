import type { Path } from './diagnostic.ts';
import { endpointsOf } from './endpoints-of.ts';
import type { LintContext } from './lint-context.ts';
import type { PackNode } from './resolved.ts';
import type { Route } from './schema.ts';

/** SVC-POL-010: an endpoint of the route for which one of its guards cannot do its work. Only a warning where the guard just observes. */
export function lintFitness(route: Route, path: Path, { report, providers, nodes }: LintContext): void {
  const names = new Set([...route.pipeline.ingress, ...route.pipeline.egress]);
  for (const { provider, model, at } of endpointsOf(route)) {
    const region = providers.mended.get(provider)?.region ?? null;
    for (const name of names) {
      const node = nodes.get(name);
      const reason = node === undefined ? null : reasonOf(node, { provider, model, region });
      if (node === undefined || reason === null) continue;
      const where = [...path, ...at.slice(0, -1), 'model'];
      if (node.mode === 'observe') report.warning('SVC-POL-010', where, `${name}: ${reason}`);
      else report.error('SVC-POL-010', where, `${name}: ${reason}`);
    }
  }
}

/** A guard from outside may throw, or answer anything: neither may pass for a yes. */
function reasonOf({ guard }: PackNode, endpoint: Parameters<NonNullable<PackNode['guard']['unfit']>>[0]): string | null {
  try {
    const reason: unknown = guard.unfit?.(endpoint) ?? null;
    if (reason === null) return null;
    return typeof reason === 'string'
      ? reason.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 300)
      : 'it cannot say whether it can work here';
  } catch {
    return 'it failed when asked whether it can work here';
  }
}
