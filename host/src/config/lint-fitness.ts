import { STAGES } from '@svc/contracts';
import type { GuardAnswers } from './ask-guard.ts';
import type { Path } from './diagnostic.ts';
import { endpointsOf } from './endpoints-of.ts';
import type { LintContext } from './lint-context.ts';
import type { Route } from './routes-section.ts';

/**
 * SVC-POL-010: an endpoint for which one of the route's guards cannot work (a warning if the guard only observes), or a guard whose `lint` fails (in
 * any mode).
 */
export function lintFitness(route: Route, path: Path, { report, nodes }: LintContext, answers: GuardAnswers): void {
  const endpoints = endpointsOf(route);
  for (const [name, { diagnostics, failed }] of answers) {
    for (const { code, message, ...of } of diagnostics) {
      if (code !== 'SVC-POL-010' || !('endpoint' in of)) continue;
      const where = [...path, ...(endpoints[Number(of.endpoint)]?.at.slice(0, -1) ?? []), 'model'];
      if (nodes.get(name)?.mode === 'observe') report.warning(code, where, `${name}: ${message}`);
      else report.error(code, where, `${name}: ${message}`);
    }
    const stage = STAGES.find((one) => route.pipeline[one].includes(name));
    if (failed === null || stage === undefined) continue;
    report.error('SVC-POL-010', [...path, 'pipeline', stage, route.pipeline[stage].indexOf(name)], `${name}: ${failed}`);
  }
}
