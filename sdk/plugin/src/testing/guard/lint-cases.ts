import type { GuardDiagnostic, LintedRoute } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import type { Subject, WithSubject } from './subject.ts';

const CODES = ['SVC-POL-003', 'SVC-POL-005', 'SVC-POL-010'] satisfies GuardDiagnostic['code'][];

/** Cases for `lint`, if the guard has it. */
export function lintCases(withSubject: WithSubject): ConformanceCase[] {
  return [
    {
      name: 'reports the same faults for every route, each with its place',
      run: () =>
        withSubject((subject) => {
          const { guard } = subject;
          if (guard.lint === undefined) return;
          for (const route of routesFor(subject)) {
            const found = guard.lint(route);
            assert.ok(Array.isArray(found), 'a list of diagnostics', typeof found);
            for (const one of found) assertPlaced(one, route);
            assert.same(guard.lint(route), found, 'lint called twice');
          }
        }),
    },
  ];
}

/** Frozen routes with the guard in one of its stages or in all of them, with and without endpoints and an embedder. */
function routesFor({ guard, context }: Subject): LintedRoute[] {
  const { endpoints } = context('ingress');
  return [guard.stages, ...guard.stages.map((stage) => [stage])].flatMap((stages) =>
    [endpoints, []].flatMap((called) =>
      [null, { region: null }, { region: 'elsewhere' }].map((embedder) => Object.freeze({ stages, endpoints: called, embedder })),
    ),
  );
}

function assertPlaced(diagnostic: GuardDiagnostic, { endpoints, embedder }: LintedRoute): void {
  const { code, message } = diagnostic;
  assert.ok(CODES.includes(code), `a code of ${CODES.join(', ')}`, 'another');
  assert.matches(message, /^[^\p{Cc}\p{Zl}\p{Zp}]{1,300}$/u, 'a message of one line of 1 to 300 characters');
  if (diagnostic.code === 'SVC-POL-003') return;
  const { endpoint } = diagnostic;
  const places: (number | 'embedder')[] = [...endpoints.keys()];
  if (code === 'SVC-POL-005' && embedder !== null) places.push('embedder');
  assert.ok(places.includes(endpoint), `an endpoint of the route (${places.join(', ') || 'there is none'})`, endpoint);
}
