import { type RunRow, SvcError } from '@svc/contracts';
import type { RunsEnv } from '@svc/kernel';
import { isSamePerson } from './quorum.ts';

/** The authenticated principal that decides, and its current groups. `identity`: the person that an issuer verified; null or absent for a key. */
export interface Decider {
  readonly principal_id: string;
  readonly groups?: readonly string[];
  readonly identity?: { readonly issuer: string; readonly subject: string } | null;
}

/** Prefix of a group in a list of approvers. The name of a principal contains no `/`. */
const GROUP = 'group/';

/** The group that an entry of a list of approvers names. Null for a principal. */
export function groupOf(entry: string): string | null {
  return entry.startsWith(GROUP) ? entry.slice(GROUP.length) : null;
}

/** Whether a list of approvers names this principal, or one of its groups. */
export function isListed(approvers: readonly string[], { principal_id, groups = [] }: Decider): boolean {
  return approvers.some((entry) => {
    const group = groupOf(entry);
    return group === null ? entry === principal_id : groups.includes(group);
  });
}

/** @throws {SvcError} SVC-AUTH-003 unless this principal may decide on the run */
export function assertApprover(row: RunRow, by: Decider, { routes }: Pick<RunsEnv, 'routes'>): void {
  const listed = row.approvers.length === 0 || isListed(row.approvers, by);
  const itself =
    isSamePerson({ principal_id: by.principal_id, ...by.identity }, row) && routes.get(row.route)?.self_approval === false;
  if (!listed || itself) throw new SvcError('SVC-AUTH-003', 'you are not an approver of this run', { run_id: row.run_id });
}
