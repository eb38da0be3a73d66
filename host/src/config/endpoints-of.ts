import type { Path } from './diagnostic.ts';
import type { Route } from './schema.ts';

/** Everything that a route may call, in order, and where in the route it is named. */
export function endpointsOf({ provider, model, fallbacks }: Route): { provider: string; model: string; at: Path }[] {
  return [
    { provider, model, at: ['provider'] },
    ...fallbacks.map((fallback, index) => ({ ...fallback, at: ['fallbacks', index, 'provider'] })),
  ];
}
