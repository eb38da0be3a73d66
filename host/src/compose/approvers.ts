import { type ApproverRights, groupOf } from '@svc/runtime';
import { groupsWith } from '../config/groups.ts';
import { mayApprove, mayApproveAsGroup } from '../config/index.ts';
import type { CanApprove } from '../http/approvers.ts';
import type { Container } from './container.ts';
import { ACTIVE, KEY_RING, OPTIONS, STORED_PASSKEYS } from './tokens.ts';

/** What the keys, the passkeys and the active configuration say about approvers. Without authentication, everybody may decide. */
export function approverRights(container: Container): ApproverRights {
  const ring = container.resolve(KEY_RING);
  const active = container.resolve(ACTIVE);
  const passkeys = container.resolve(STORED_PASSKEYS);
  const isOpen = container.resolve(OPTIONS).allowed_hosts !== null;
  const issuersOf = (issuer: string | undefined) => active.current.config.issuers.filter((each) => each.issuer === issuer);
  return {
    hasRole: ({ principal_id, issuer }, route) =>
      isOpen ||
      (issuer === undefined ? ring.canApprove(principal_id, route) : mayApprove(issuersOf(issuer), principal_id, route)),
    groupsOf: (principal_id) => groupsWith(active.current.config.groups, principal_id),
    mayHaveGroup: ({ issuer }, group) =>
      issuersOf(issuer).some(({ groups }) => Object.values(groups?.map ?? {}).some((given) => given.includes(group))),
    hasPasskey: (person, public_key) => passkeys.has(person, public_key),
  };
}

/** Whether a name can belong to an approver: to a key, or to any token that an issuer could give. */
export function canApprove(container: Container): CanApprove {
  const { hasRole } = approverRights(container);
  const active = container.resolve(ACTIVE);
  const isOpen = container.resolve(OPTIONS).allowed_hosts !== null;
  const mayDecide: CanApprove = (principal_id, route) => {
    const { issuers } = active.current.config;
    if (isOpen || active.routes.get(route)?.runtime.approval_passkey !== 'required')
      return hasRole({ principal_id }, route) || mayApprove(issuers, principal_id, route);
    // Only people who sign in on the pages can sign with a passkey.
    return mayApprove(
      issuers.filter(({ client_id }) => client_id !== undefined),
      principal_id,
      route,
    );
  };
  return (entry, route) =>
    groupOf(entry) === null
      ? mayDecide(entry, route)
      : mayApproveAsGroup(entry, active.current.config, (member) => mayDecide(member, route));
}
