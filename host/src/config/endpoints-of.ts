import type { Path } from './diagnostic.ts';
import type { Route } from './schema.ts';

/** All endpoints of a route in order, with their paths in the route. */
export function endpointsOf({ provider, model, fallbacks }: Route): { provider: string; model: string; at: Path }[] {
  return [
    { provider, model, at: ['provider'] },
    ...fallbacks.map((fallback, index) => ({ ...fallback, at: ['fallbacks', index, 'provider'] })),
  ];
}
