import { randomBytes } from 'node:crypto';
import { type Approver, type EventData, isoTime, SvcError } from '@svc/contracts';
import type { DecidedRun, LiveRun, RunsEnv } from '@svc/kernel';
import type { OpenedPause, Texts } from '@svc/kernel/ports';
import { addReason, reasonDigest, withSalt } from '../content/reasons.ts';
import { editedPause, type VaultEnv } from '../content/run-vault.ts';
import type { OperationalStates } from '../records/states/operational-states.ts';
import { assertApprover, type Decider } from './approver.ts';
import { editTexts, type TextEdit } from './edit.ts';
import { approvalsOf, isSamePerson } from './quorum.ts';

/** The decision of an approver. `digest`: that of the payload as the approver saw it; null if none was given. */
export interface Decision extends Omit<Decider, 'principal_id'> {
  readonly decision: 'approved' | 'denied';
  readonly digest: string | null;
  readonly reason?: string | null;
  /** Texts to change before the approval. Requires `digest`, which identifies the texts to be replaced. */
  readonly edits?: readonly TextEdit[];
}

/** One decision for several runs that wait for the same decision. */
export type Together = NonNullable<EventData<'decision'>['together']>;

/** The same person has approved this content before, so nothing changes. */
export class ApprovedBefore extends Error {}

export interface DecisionEnv extends VaultEnv, Pick<RunsEnv, 'routes'> {
  readonly texts: Texts;
  readonly policy: Pick<OperationalStates, 'of'>;
}

/**
 * A decision on the pause of a run.
 * @param together null if the decision is for a single run
 * @throws {SvcError} SVC-AUTH-003; SVC-RUN-002 if the approver saw another payload; SVC-REQ-001 without a reason that the route requires; {@link
 * ApprovedBefore}
 */
export async function decisionOn(
  run: LiveRun,
  pause: OpenedPause,
  principal_id: string,
  made: Decision,
  together: Together | null,
  env: DecisionEnv,
): Promise<DecidedRun> {
  const { route } = run;
  const { digest } = pause;
  const { decision, digest: seen, reason = null, identity = null, edits = [] } = made;
  // Checked for each copy of the request: the same principal may have sent them on behalf of different people.
  assertApprover(run.row, { ...made, principal_id }, env);
  assertFits(run, pause, { decision, seen, reason });
  const issuer = identity === null ? {} : { issuer: identity.issuer };
  const subject = identity === null ? {} : { subject: identity.subject };
  const edited = edits.length === 0 ? null : edit(run, pause, { decision, seen, edits }, env);
  // An edit voids the earlier approvals, because they were for other content.
  const before = decision === 'denied' || edited !== null ? [] : approvalsOf(run.row, digest, route, env.policy);
  if (before.some((other) => isSamePerson(other, { principal_id, ...issuer, ...subject }))) throw new ApprovedBefore();
  const approvals = { given: before.length + 1, needed: route.approvals };
  const given = reason === null ? null : withSalt(reason);
  const at = isoTime(env.clock.now());
  // Both in canonical order, see evidenceOf.
  const approver: Approver = { at, decision, ...issuer, principal_id, ...subject };
  const event = {
    ...(decision === 'denied' || route.approvals === 1 ? {} : { approvals }),
    at,
    decision,
    digest,
    ...(edited === null ? {} : { edited: edited.pause.digest }),
    ...issuer,
    principal_id,
    ...(given === null ? {} : { reason_digest: reasonDigest(given) }),
    route_digest: route.digest,
    ...subject,
    ...(together === null ? {} : { together: { run_id: together.run_id, runs: together.runs } }),
  };
  const items = [...(edited === null ? [] : [edited.item]), ...(given === null ? [] : [await addReason(run, given, env)])];
  return {
    approver,
    event,
    others: before.map((other) => other.principal_id),
    // The key must be kept for as long as the run is paused.
    put_content: env.content.seal(run, items, null),
    waits: decision === 'approved' && approvals.given < approvals.needed,
    pause: { ...(edited?.pause ?? pause), reason: decision === 'denied' && reason !== null ? reason : undefined },
  };
}

/** @throws {SvcError} SVC-RUN-002, SVC-REQ-001 */
function assertFits(
  { run_id, route }: LiveRun,
  { digest, original }: OpenedPause,
  {
    decision,
    seen,
    reason,
  }: { readonly decision: Decision['decision']; readonly seen: string | null; readonly reason: string | null },
): void {
  if (decision === 'approved' && seen === null && original !== undefined)
    throw new SvcError('SVC-RUN-002', 'an approver has edited the request; read it again, and send its digest', { run_id });
  if (seen !== null && seen !== digest) throw new SvcError('SVC-RUN-002', 'the request has changed; read it again', { run_id });
  if (reason === null && route.approval_reason === 'required')
    throw new SvcError('SVC-REQ-001', 'body/reason is required: this route records why each decision was made', { run_id });
}

/** @throws {SvcError} SVC-REQ-001 */
function edit(
  run: LiveRun,
  pause: OpenedPause,
  { decision, seen, edits }: { decision: Decision['decision']; seen: string | null; edits: readonly TextEdit[] },
  env: DecisionEnv,
) {
  const { run_id, row } = run;
  if (decision === 'denied') throw new SvcError('SVC-REQ-001', 'body/edits is allowed only with an approval', { run_id });
  if (seen === null)
    throw new SvcError('SVC-REQ-001', 'body/digest is required with body/edits: it identifies the texts that you edited', {
      run_id,
    });
  const before = editTexts(run, pause, edits, env.texts);
  // The run now differs from its copies, so decisions on the copies must not apply to it.
  row.pause_keys = [...(row.pause_keys ?? []).slice(0, -1), randomBytes(32).toString('hex')];
  return editedPause(run, pause, before, env);
}
