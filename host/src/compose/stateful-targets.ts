import { mayAdminister, mayName, type ResolvedConfig } from '../config/index.ts';
import type { KeyRing } from '../http/key-ring.ts';
import type { StatefulTargets } from '../http/surface.ts';

/** What of a configuration operators may put out of use, and by which rules. */
export function statefulTargets(
  { routes, providers, packs, issuers, operations }: ResolvedConfig,
  ring: KeyRing,
): StatefulTargets {
  const names = {
    route: () => [...routes.keys()],
    provider: () => [...providers.keys()],
    guard: () => [...packs.keys()],
    principal: () => ring.principalIds(),
  };
  const required = [...packs.values()].filter((pack) => pack.required);
  return {
    names: (kind) => names[kind](),
    // Whom an issuer knows is known to nobody else.
    isKnown: (kind, name) => names[kind]().includes(name) || (kind === 'principal' && mayName(issuers, name)),
    required_packs: new Set(required.map(({ name }) => name)),
    two_person: operations.two_person,
    isOperator: (principal_id) => principal_id !== null && (ring.isAdmin(principal_id) || mayAdminister(issuers, principal_id)),
  };
}
