import { randomUUID } from 'node:crypto';
import { type Clock, type NewOperation, type Operation, SvcError } from '@svc/contracts';
import { canonicalJson, sha256 } from '@svc/ledger';
import type { OperationsLog } from '../records/operations-log/operations-log.ts';
import { Unchanged, unlessUnchanged } from '../records/operations-log/unchanged.ts';
import type { Delegation, Delegations } from './delegations.ts';

const DAY_MS = 86_400_000;
/** Maximum length of a delegation, because a key may expire, or a person may leave, unnoticed. */
const MAX_DAYS = 90;
/** Per approver. */
const MAX_IN_FORCE = 20;

export interface DelegationsEnv {
  readonly log: OperationsLog;
  readonly delegations: Delegations;
  readonly clock: Pick<Clock, 'now'>;
}

/** `actor`: who makes the change. `assertStill` throws or rejects if the actor may no longer make it. */
interface Change {
  readonly actor: Operation['actor'];
  readonly reason: string | null;
  readonly assertStill: () => unknown;
}

export interface NewDelegation extends Change, Pick<Delegation, 'to' | 'routes'> {
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Lets `to` decide on behalf of the actor. @throws {SvcError} SVC-REQ-001, SVC-STORE-001 */
export async function delegate(asked: NewDelegation, { log, delegations, clock }: DelegationsEnv): Promise<Delegation> {
  const { actor, to, routes, reason, assertStill } = asked;
  if (to === actor.principal_id) throw new SvcError('SVC-REQ-001', 'body/to must be another principal');
  const id = randomUUID();
  await log.append(async () => {
    await assertStill();
    const last = clock.now() + MAX_DAYS * DAY_MS;
    if (!(asked.until > clock.now() && asked.until <= last))
      throw new SvcError('SVC-REQ-001', `the end must be in the future, and at most ${MAX_DAYS} days from now`);
    const own = delegations.inForce.filter(({ from }) => from.principal_id === actor.principal_id);
    if (own.length >= MAX_IN_FORCE)
      throw new SvcError('SVC-REQ-001', `you have ${MAX_IN_FORCE} active delegations, the maximum: end one first`);
    const change = { to, routes: routes === null ? null : [...routes], until: new Date(asked.until).toISOString() };
    return { ...operation('delegation.created', id), actor, reason, before: null, after: digestOf(change), change };
  }, 'behind');
  return delegations.known(id);
}

/**
 * Ends a delegation early.
 * @param mayEnd whether the actor may end it; others get the same error as for an unknown id
 * @returns the delegation as it ended
 * @throws {SvcError} SVC-APPR-001, SVC-STORE-001
 */
export async function endDelegation(
  id: string,
  { actor, reason, assertStill, mayEnd }: Change & { readonly mayEnd: (delegation: Delegation) => boolean },
  { log, delegations }: DelegationsEnv,
): Promise<Delegation> {
  await log.catchUp();
  const delegation = delegations.known(id, mayEnd);
  const { at } = await log.append(async () => {
    await assertStill();
    return { ...endingOf(delegations.known(id)), actor, reason };
  });
  return { ...delegation, until: at };
}

/**
 * Records the end of delegations whose time is over, unless another process has done so.
 * @returns the records
 * @throws {SvcError} SVC-STORE-001
 */
export async function endOverdueDelegations(log: OperationsLog, delegations: Delegations): Promise<Operation[]> {
  const records: (Operation | null)[] = [];
  for (const { id } of delegations.ended) {
    const ending = (): NewOperation => {
      const over = delegations.ended.find((delegation) => delegation.id === id);
      if (over === undefined) throw new Unchanged();
      return { ...endingOf(over), actor: { principal_id: null, issuer: null, subject: null }, reason: null };
    };
    records.push(await unlessUnchanged(log.append(ending)));
  }
  return records.filter((record) => record !== null);
}

function endingOf({ id, to, routes, until }: Delegation) {
  return { ...operation('delegation.ended', id), before: digestOf({ to, routes, until }), after: null, change: {} };
}

function operation(action: 'delegation.created' | 'delegation.ended', id: string) {
  return { action, target: { kind: 'delegation', name: id } } as const;
}

function digestOf({ to, routes, until }: Pick<Delegation, 'to' | 'routes' | 'until'>): string {
  return sha256(canonicalJson({ routes, to, until }));
}
