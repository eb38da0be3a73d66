import type { ResolvedConfig } from '../config/index.ts';
import type { StatefulTargets } from '../http/surface.ts';

/** What of a configuration operators may put out of use, and by which rules. */
export function statefulTargets({ routes, providers, packs, keys, operations }: ResolvedConfig): StatefulTargets {
  const names = {
    route: () => [...routes.keys()],
    provider: () => [...providers.keys()],
    guard: () => [...packs.keys()],
    principal: () => [...new Set(keys.map(({ principal_id }) => principal_id))],
  };
  const required = [...packs.values()].filter((pack) => pack.required);
  return {
    names: (kind) => names[kind](),
    required_packs: new Set(required.map(({ name }) => name)),
    two_person: operations.two_person,
  };
}
