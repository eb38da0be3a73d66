import { type Groups, groupsWith } from '../config/groups.ts';
import type { Principal } from './key-ring.ts';

/** A caller with its groups: those of its token, and those of the configuration that name it. */
export type WithGroups = (principal: Principal) => Principal & { readonly groups: readonly string[] };

/** @param current returns the active groups, which may change with the configuration */
export function groupsIn(current: () => Groups): WithGroups {
  return (principal) => {
    const named = groupsWith(current(), principal.principal_id);
    return { ...principal, groups: [...new Set([...(principal.groups ?? []), ...named])] };
  };
}
