import { type Clock, type EventData, type RunEvent, type RunRow, SvcError } from '@svc/contracts';
import type { RunsEnv } from '@svc/kernel';
import type { OperationalStates } from '../records/states/operational-states.ts';
import type { Delegation, Delegations } from './delegations.ts';
import { isSamePerson, type Person } from './person.ts';

/** The authenticated principal that decides, and its current groups. `identity`: the person that an issuer verified; null or absent for a key. */
export interface Decider {
  readonly principal_id: string;
  readonly groups?: readonly string[];
  readonly identity?: { readonly issuer: string; readonly subject: string } | null;
}

/** Rights of people who are not making a request now, from the active configuration and keys. */
export interface ApproverRights {
  /** Whether the person has a key, or could have a token of its issuer, with the role approve for the route. */
  hasRole(person: Person, route: string): boolean;
  /** The groups to which the configuration assigns the principal. */
  groupsOf(principal_id: string): readonly string[];
  /** Whether the person could have the group from a token. */
  mayHaveGroup(person: Person, group: string): boolean;
  /** Whether the person has registered this public key of a passkey, base64url, and not removed it. */
  hasPasskey(person: Person, public_key: string): boolean;
}

/** For programs that authenticate by themselves. */
export const TRUSTED_APPROVERS: ApproverRights = {
  hasRole: () => true,
  groupsOf: () => [],
  mayHaveGroup: () => true,
  hasPasskey: () => true,
};

/** What determines who may decide. */
export interface ApproverEnv extends Pick<RunsEnv, 'routes'> {
  readonly clock: Pick<Clock, 'now'>;
  readonly policy: Pick<OperationalStates, 'of'>;
  readonly approvers: ApproverRights;
  readonly delegations: Pick<Delegations, 'inForce'>;
}

/** A right to decide on a run. */
export interface Right {
  /** Null: the person's own right. */
  readonly delegation: Delegation | null;
  /** When the right begins, ISO 8601, if the run was escalated. Null: at the pause. */
  readonly escalated_at: string | null;
}

export type ApprovedRun = Pick<RunRow, 'route' | 'approvers' | 'events' | 'principal_id' | 'issuer' | 'subject'>;

/** Prefix of a group in a list of approvers. The name of a principal contains no `/`. */
const GROUP = 'group/';

/** The group that an entry of a list of approvers names. Null for a principal. */
export function groupOf(entry: string): string | null {
  return entry.startsWith(GROUP) ? entry.slice(GROUP.length) : null;
}

/** Whether a list of approvers names this principal, or one of its groups. */
export function isListed(approvers: readonly string[], { principal_id, groups = [] }: Decider): boolean {
  return isNamed(approvers, principal_id, (group) => groups.includes(group));
}

function isNamed(approvers: readonly string[], principal_id: string, isMember: (group: string) => boolean): boolean {
  return approvers.some((entry) => {
    const group = groupOf(entry);
    return group === null ? entry === principal_id : isMember(group);
  });
}

/** The principal's own right, even if it is barred as the creator of the run. */
export function ownRight(row: ApprovedRun, { principal_id, groups = [] }: Decider, env: ApproverEnv): Right | null {
  return rightOf(row, principal_id, (group) => groups.includes(group), env);
}

/** The rights by which a principal may decide on a run now: its own, or else those that others have delegated to it. */
export function rightsOn(row: ApprovedRun, by: Decider, env: ApproverEnv): readonly Right[] {
  if (isBarred(row, { principal_id: by.principal_id, ...by.identity }, env)) return [];
  const own = ownRight(row, by, env);
  if (own !== null) return [own];
  return env.delegations.inForce
    .filter(({ to }) => to === by.principal_id)
    .map((delegation) => delegatedRight(row, delegation, env))
    .filter((right) => right !== null);
}

/** @throws {SvcError} SVC-AUTH-003 unless this principal may decide on the run */
export function assertApprover(row: RunRow, by: Decider, env: ApproverEnv): readonly Right[] {
  const rights = rightsOn(row, by, env);
  if (rights.length > 0) return rights;
  const isOwn = isBarred(row, { principal_id: by.principal_id, ...by.identity }, env);
  const reason = isOwn
    ? 'you made this request, and its route does not allow self-approval'
    : 'you are not an approver of this run';
  throw new SvcError('SVC-AUTH-003', reason, { run_id: row.run_id });
}

/** Whether the person who made an earlier decision could still make it, as far as the gateway knows: it cannot ask an issuer about a token again. */
export function isStillApprover(row: ApprovedRun, made: EventData<'decision'>, env: ApproverEnv): boolean {
  const { principal_id, on_behalf_of, signed } = made;
  if (signed !== undefined && !env.approvers.hasPasskey(made, signed.public_key)) return false;
  if (isBarred(row, made, env) || !isActive(made, row.route, env)) return false;
  if (on_behalf_of === undefined) return rightOf(row, principal_id, (group) => mayBeIn(made, group, env), env) !== null;
  const delegation = env.delegations.inForce.find(({ id, to }) => id === on_behalf_of.delegation_id && to === principal_id);
  return delegation !== undefined && delegatedRight(row, delegation, env) !== null;
}

/** Whether the principal is enabled and its role allows decisions on the route. */
export function isActive(
  person: Person,
  route: string,
  { policy, approvers }: Pick<ApproverEnv, 'policy' | 'approvers'>,
): boolean {
  return policy.of('principal', person.principal_id) === 'enabled' && approvers.hasRole(person, route);
}

/** The newest escalation in the events of a paused run. */
export function escalationOf(events: readonly RunEvent[]): EventData<'paused'>['escalation'] {
  return events.findLast(({ event_type }) => event_type === 'paused')?.data.escalation;
}

/**
 * The right that a delegation passes on: the delegator's own right, never one that was delegated in turn. A group counts only if the configuration
 * assigns it, because the gateway cannot see whether the person's token would still have it.
 */
export function delegatedRight(row: ApprovedRun, delegation: Delegation, env: ApproverEnv): Right | null {
  const { from, routes } = delegation;
  const isOfRoute = routes === null || routes.includes(row.route);
  if (!isOfRoute || isBarred(row, from, env) || !isActive(from, row.route, env)) return null;
  const groups = env.approvers.groupsOf(from.principal_id);
  const right = rightOf(row, from.principal_id, (group) => groups.includes(group), env);
  return right && { ...right, delegation };
}

function mayBeIn(person: Person, group: string, { approvers }: ApproverEnv): boolean {
  return approvers.groupsOf(person.principal_id).includes(group) || approvers.mayHaveGroup(person, group);
}

/** Whether this is the creator of a run whose route does not allow self-approval. */
export function isBarred(row: ApprovedRun, person: Person, { routes }: Pick<ApproverEnv, 'routes'>): boolean {
  return isSamePerson(person, row) && routes.get(row.route)?.self_approval === false;
}

function rightOf(
  { approvers, events }: ApprovedRun,
  principal_id: string,
  isMember: (group: string) => boolean,
  { clock }: ApproverEnv,
): Right | null {
  if (approvers.length === 0 || isNamed(approvers, principal_id, isMember)) return { delegation: null, escalated_at: null };
  const escalation = escalationOf(events);
  const isEscalated = escalation !== undefined && Date.parse(escalation.at) <= clock.now();
  return isEscalated && isNamed(escalation.approvers, principal_id, isMember)
    ? { delegation: null, escalated_at: escalation.at }
    : null;
}
