import type { RunRow } from '@svc/contracts';
import { type ApproverEnv, delegatedRight, escalationOf, isBarred } from './approver.ts';

/** One entry of the list of those who may decide on a paused run. */
export interface MayDecide {
  /** A principal, or a group as `group/NAME`. */
  readonly approver: string;
  /** From when, ISO 8601; null: from the pause on. May be in the future. */
  readonly from: string | null;
  /** Until when, ISO 8601; null: as long as the run is paused. */
  readonly until: string | null;
  /** The approver on whose behalf it decides; null: in its own right. */
  readonly on_behalf_of: string | null;
  readonly delegation_id: string | null;
}

const OWN = { until: null, on_behalf_of: null, delegation_id: null } as const;

/** Who may decide on a paused run, and from when: its approvers, those of its escalation, then delegates. Empty: everybody with the role approve. */
export function mayDecide(row: RunRow, env: ApproverEnv): MayDecide[] {
  if (row.approvers.length === 0) return [];
  const escalation = escalationOf(row.events);
  const later = escalation?.approvers.filter((approver) => !row.approvers.includes(approver)) ?? [];
  return [
    ...row.approvers.map((approver) => ({ approver, from: null, ...OWN })),
    ...later.map((approver) => ({ approver, from: escalation?.at ?? null, ...OWN })),
    ...env.delegations.inForce
      .filter(
        (delegation) => !isBarred(row, { principal_id: delegation.to }, env) && delegatedRight(row, delegation, env) !== null,
      )
      .map(({ id, from, to, since, until }) => ({
        approver: to,
        from: since,
        until,
        on_behalf_of: from.principal_id,
        delegation_id: id,
      })),
  ];
}
