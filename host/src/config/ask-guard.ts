import { type Guard, type GuardDiagnostic, type LintedRoute, STAGES } from '@svc/contracts';
import { endpointsOf } from './endpoints-of.ts';
import type { LintContext } from './lint-context.ts';
import type { Route } from './routes-section.ts';

/** A guard's diagnostics for a route. `failed`: why the guard could give none. */
export interface GuardAnswer {
  readonly diagnostics: readonly GuardDiagnostic[];
  readonly failed: string | null;
}

/** Answers by pack, for those guards of a route that could be created. */
export type GuardAnswers = ReadonlyMap<string, GuardAnswer>;

const CODES: readonly unknown[] = ['SVC-POL-003', 'SVC-POL-005', 'SVC-POL-010'] satisfies GuardDiagnostic['code'][];

/** Asks every guard of a route for its diagnostics. */
export function askGuards(
  route_name: string,
  route: Route,
  { nodes, providers, embedder, prices }: Pick<LintContext, 'nodes' | 'providers' | 'embedder' | 'prices'>,
): GuardAnswers {
  const { ingress, egress } = route.pipeline;
  const named = [...new Set([...ingress, ...egress])].flatMap((name) => nodes.get(name) ?? []);
  const retrieves = ingress.some((name) => nodes.get(name)?.namespaces.length);
  return new Map(
    named.map(({ name, guard }) => {
      const stages = STAGES.filter((stage) => route.pipeline[stage].includes(name));
      const endpoints = endpointsOf(route).map(({ provider, model }) => {
        const endpoint = { provider, model: model ?? route_name, region: providers.repaired.get(provider)?.region ?? null };
        return prices?.priced(endpoint) ?? endpoint;
      });
      return [name, askGuard(guard, { stages, endpoints, embedder: retrieves ? embedder : null })];
    }),
  );
}

/** An operator's guard may throw or return anything. The route then does not count as free of errors. */
export function askGuard(guard: Guard, route: LintedRoute): GuardAnswer {
  if (guard.lint === undefined) return { diagnostics: [], failed: null };
  try {
    const answer: unknown = guard.lint(route);
    if (Array.isArray(answer) && answer.every((one) => isDiagnostic(one, route)))
      return { diagnostics: answer.map((one) => ({ ...one, message: oneLine(one.message) })), failed: null };
    // A returned promise may still reject.
    Promise.resolve(answer).catch(() => undefined);
    return { diagnostics: [], failed: 'its lint() did not return a list of diagnostics' };
  } catch {
    return { diagnostics: [], failed: 'its lint() failed' };
  }
}

function isDiagnostic(value: unknown, { endpoints, embedder }: LintedRoute): value is GuardDiagnostic {
  if (typeof value !== 'object' || value === null) return false;
  const code: unknown = Reflect.get(value, 'code');
  const message: unknown = Reflect.get(value, 'message');
  const endpoint: unknown = Reflect.get(value, 'endpoint');
  if (typeof message !== 'string' || message === '' || !CODES.includes(code)) return false;
  if (code === 'SVC-POL-003') return true;
  if (typeof endpoint === 'number') return Object.hasOwn(endpoints, endpoint);
  return code === 'SVC-POL-005' && endpoint === 'embedder' && embedder !== null;
}

function oneLine(message: string): string {
  return message.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 300);
}
