import { mayAdminister, mayName } from '../config/index.ts';
import type { StatefulTargets } from '../http/endpoints/states.ts';
import type { KeyRing } from '../http/key-ring.ts';
import { mayChange } from '../http/may-change.ts';
import type { ActiveConfiguration } from '../reload/active-configuration.ts';

/** The targets that operators may stop, and the rules for that. */
export function statefulTargets(active: ActiveConfiguration, ring: KeyRing): StatefulTargets {
  const { routes, providers, packs, issuers, operations } = active.current.config;
  const names = {
    route: () => [...routes.keys()],
    provider: () => [...providers.keys()],
    guard: () => [...packs.keys()],
    principal: () => ring.principalIds(),
  };
  const required = [...packs.values()].filter((pack) => pack.required);
  return {
    names: (kind) => names[kind](),
    // An issuer's principals cannot be listed.
    isKnown: (kind, name) =>
      kind === 'principal' ? ring.principalIds().includes(name) || mayName(issuers, name) : active.hasHad(kind, name),
    required_packs: new Set(required.map(({ name }) => name)),
    two_person: operations.two_person,
    isOperator: (principal_id, target) =>
      principal_id !== null &&
      (ring.isAdmin(principal_id, (key) => mayChange(key, target)) || mayAdminister(issuers, principal_id)),
  };
}
