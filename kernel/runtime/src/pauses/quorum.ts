import type { EventData, RunEvent, RunRow } from '@svc/contracts';
import type { RuntimeRoute } from '@svc/kernel/routes';
import type { OperationalStates } from '../records/states/operational-states.ts';

export type DecisionData = EventData<'decision'>;

/** Two keys of a principal are the same person. So are two principals that an issuer verified as the same subject. */
type Person = Pick<DecisionData, 'principal_id' | 'issuer' | 'subject'>;

export function isSamePerson(a: Person, b: Person): boolean {
  const isSameSubject = a.subject !== undefined && a.subject === b.subject && a.issuer === b.issuer;
  return a.principal_id === b.principal_id || isSameSubject;
}

/** The decisions since the run was last paused. */
export function decisionsNow(events: readonly RunEvent[]): readonly DecisionData[] {
  const at = events.findLastIndex(({ event_type }) => event_type === 'paused');
  return events.slice(at).flatMap(({ event_type, data }) => (event_type === 'decision' ? [data as DecisionData] : []));
}

/**
 * The approvals of a payload that count, one per person. An approval does not count if its principal is disabled, if the caller gave it and
 * self-approval is off, or if the configuration of the route has changed since.
 */
export function approvalsOf(
  row: Pick<RunRow, 'events' | 'principal_id' | 'issuer' | 'subject'>,
  payload_digest: string,
  { digest, self_approval }: Pick<RuntimeRoute, 'digest' | 'self_approval'>,
  policy: Pick<OperationalStates, 'of'>,
): readonly DecisionData[] {
  const counted: DecisionData[] = [];
  for (const made of decisionsNow(row.events)) {
    const isOfThis =
      made.decision === 'approved' && (made.edited ?? made.digest) === payload_digest && made.route_digest === digest;
    const isAllowed = self_approval || !isSamePerson(made, row);
    const isEnabled = policy.of('principal', made.principal_id) === 'enabled';
    if (isOfThis && isAllowed && isEnabled && !counted.some((other) => isSamePerson(made, other))) counted.push(made);
  }
  return counted;
}
