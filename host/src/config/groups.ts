import { groupOf } from '@svc/runtime';
import type { OidcIssuer } from './oidc-issuers.ts';

/** Principals by group of approvers, as `auth.groups` lists them. */
export type Groups = Readonly<Record<string, readonly string[]>>;

/** The groups that list a principal. */
export function groupsWith(groups: Groups, principal_id: string): string[] {
  return Object.entries(groups).flatMap(([name, members]) => (members.includes(principal_id) ? [name] : []));
}

export function membersOf(groups: Groups, group: string): readonly string[] {
  return Object.hasOwn(groups, group) ? (groups[group] ?? []) : [];
}

/**
 * Whether an entry of `approvers` is a group in which somebody may decide: a listed principal, or a caller to whom an issuer gives the group.
 * @param mayDecide says whether a principal may decide on runs of the route
 */
export function mayApproveAsGroup(
  entry: string,
  { groups, issuers }: { readonly groups: Groups; readonly issuers: readonly OidcIssuer[] },
  mayDecide: (principal_id: string) => boolean,
): boolean {
  const group = groupOf(entry);
  if (group === null) return false;
  const given = issuers.flatMap(({ groups }) => Object.values(groups?.map ?? {}).flat());
  return given.includes(group) || membersOf(groups, group).some(mayDecide);
}
