import type { EventData, RunEvent } from '@svc/contracts';
import { type ApprovedRun, type ApproverEnv, isStillApprover } from './approver.ts';
import { sharePerson } from './person.ts';

export type DecisionData = EventData<'decision'>;

/** Whether a decision was made by a right that is for a time only, or begins after the pause of a run: a delegation or an escalation. */
export function isByTemporaryRight({ on_behalf_of, escalated_at }: DecisionData): boolean {
  return on_behalf_of !== undefined || escalated_at !== undefined;
}

/** The decisions since the run was last paused. */
export function decisionsNow(events: readonly RunEvent[]): readonly DecisionData[] {
  const at = events.findLastIndex(({ event_type }) => event_type === 'paused');
  return events.slice(at).flatMap(({ event_type, data }) => (event_type === 'decision' ? [data as DecisionData] : []));
}

/** Digest of a paused run's pending content, with its approvers' edits. */
export function pendingDigest(events: readonly RunEvent[]): string {
  const edited = decisionsNow(events).findLast((made) => made.edited !== undefined)?.edited;
  return edited ?? events.findLast(({ event_type }) => event_type === 'paused')?.data.digest ?? '';
}

/**
 * The approvals of a payload that count now. An approval does not count if the person could no longer give it, if the route's configuration has
 * changed since, or if anyone in it (including the person on whose behalf it was given) is in an approval that already counts.
 */
export function approvalsOf(
  row: ApprovedRun,
  payload_digest: string,
  route_digest: string,
  env: ApproverEnv,
): readonly DecisionData[] {
  const counted: DecisionData[] = [];
  for (const made of decisionsNow(row.events)) {
    const isOfThis =
      made.decision === 'approved' && (made.edited ?? made.digest) === payload_digest && made.route_digest === route_digest;
    if (isOfThis && isStillApprover(row, made, env) && !counted.some((other) => sharePerson(made, other))) counted.push(made);
  }
  return counted;
}
