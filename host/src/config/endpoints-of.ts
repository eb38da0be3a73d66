import type { Path } from './diagnostic.ts';
import type { Route } from './routes-section.ts';

/** An endpoint as a route names it. */
export interface NamedEndpoint {
  readonly provider: string;
  /** Undefined: the model that the caller asks for. */
  readonly model: string | undefined;
  /** Null: a fallback. */
  readonly weight: number | null;
  /** Where the route names its provider. */
  readonly at: Path;
}

/** All endpoints of a route: first those that share its runs, then the fallbacks. */
export function endpointsOf({ provider, model, endpoints, fallbacks }: Route): NamedEndpoint[] {
  const only = provider === undefined ? [] : [{ provider, model, weight: null, at: ['provider'] }];
  return [
    ...(endpoints?.map((endpoint, index) => ({ model: undefined, ...endpoint, at: ['endpoints', index, 'provider'] })) ?? only),
    ...fallbacks.map((fallback, index) => ({
      model: undefined,
      ...fallback,
      weight: null,
      at: ['fallbacks', index, 'provider'],
    })),
  ];
}
