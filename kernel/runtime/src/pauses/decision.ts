import { randomBytes } from 'node:crypto';
import { type Approver, type EventData, isoTime, type SignedDecision, SvcError } from '@svc/contracts';
import type { DecidedRun, LiveRun } from '@svc/kernel';
import type { OpenedPause, Texts } from '@svc/kernel/ports';
import { signaturesIn } from '@svc/ledger';
import { newSalt } from '../content/paused-payload.ts';
import { addReason, reasonDigest } from '../content/reasons.ts';
import { editedPause, type VaultEnv } from '../content/run-vault.ts';
import { type ApproverEnv, assertApprover, type Decider, type Right } from './approver.ts';
import { editTexts, type TextEdit } from './edit.ts';
import { isSamePerson, type Person, peopleIn, sharePerson } from './person.ts';
import { approvalsOf, type DecisionData, isByTemporaryRight } from './quorum.ts';

/** Base64. Fixed for a decision that is signed, because its statement has digests that depend on them. */
export interface DecisionSalts {
  readonly edits: string;
  readonly reason: string;
}

/** What an approver decides. `digest`: of the payload that the approver saw; null if none was given. */
export interface Verdict extends Omit<Decider, 'principal_id'> {
  readonly decision: 'approved' | 'denied';
  readonly digest: string | null;
  readonly reason?: string | null;
  /** Texts to change before the approval. Requires `digest`, which identifies the texts to be replaced. */
  readonly edits?: readonly TextEdit[];
}

/** The decision of an approver. `signature`: by a passkey of the person in `identity`, which the caller has verified. */
export interface Decision extends Verdict {
  readonly signature?: { readonly signed: SignedDecision; readonly salts: DecisionSalts } | undefined;
}

/** One decision for several runs that wait for the same decision. */
export type Together = NonNullable<EventData<'decision'>['together']>;

/** The same person has approved this content before, so nothing changes. */
export class ApprovedBefore extends Error {}

export interface DecisionEnv extends VaultEnv, Omit<ApproverEnv, 'clock'> {
  readonly texts: Texts;
}

/**
 * A decision on the pause of a run.
 * @param together null for one run alone
 * @throws {SvcError} those of {@link draftDecision}; SVC-AUTH-005 without a signature that the route requires, and for one that does not fit; {@link
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
  const { run_id, route } = run;
  const { decision, reason = null, signature } = made;
  if (signature === undefined && route.approval_passkey === 'required') throw unsigned(run_id);
  const { approver, event, before, edited, given } = draftDecision(
    run,
    pause,
    principal_id,
    made,
    { together, salts: signature?.salts },
    env,
  );
  if (before.some((other) => isSamePerson(other, event))) throw new ApprovedBefore();
  const approvals = { given: before.length + 1, needed: route.approvals };
  const others = [...before, approver].flatMap(peopleIn).filter((person) => person.principal_id !== principal_id);
  const isForRepeats = decision === 'denied' || ![...before, event].some(isByTemporaryRight);
  const items = [...(edited === null ? [] : [edited.item]), ...(given === null ? [] : [await addReason(run, given, env)])];
  return {
    approver,
    event: signature === undefined ? event : signedEvent(run, pause, event, signature.signed),
    others: isForRepeats ? others : null,
    // The key must be kept for as long as the run is paused.
    put_content: env.content.seal(run, items, null),
    waits: decision === 'approved' && approvals.given < approvals.needed,
    pause: { ...(edited?.pause ?? pause), reason: decision === 'denied' && reason !== null ? reason : undefined },
  };
}

/**
 * What a decision would record, without its signature.
 * @throws {SvcError} SVC-AUTH-003; SVC-RUN-002 if the payload is not the one that the approver saw; SVC-REQ-001 without a reason that the route requires;
 * SVC-APPR-002
 */
export function draftDecision(
  run: LiveRun,
  pause: OpenedPause,
  principal_id: string,
  made: Verdict,
  { together, salts = newSalts() }: { readonly together: Together | null; readonly salts: DecisionSalts | undefined },
  env: DecisionEnv,
) {
  const { run_id, row, route } = run;
  const { digest } = pause;
  const { decision, digest: seen, reason = null, identity = null, edits = [] } = made;
  // Checked for each copy of the request too: one principal may have sent the copies for different people.
  const rights = assertApprover(row, { ...made, principal_id }, env);
  assertFits(run, pause, { decision, seen, reason });
  const issuer = identity === null ? {} : { issuer: identity.issuer };
  const subject = identity === null ? {} : { subject: identity.subject };
  const edited = edits.length === 0 ? null : edit(run, pause, { decision, seen, edits, salt: salts.edits }, env);
  // An edit voids the earlier approvals: they were for other content.
  const before = decision === 'denied' || edited !== null ? [] : approvalsOf(row, digest, route.digest, env);
  const { escalated_at, ...behalf } = usedRight({ ...issuer, principal_id, ...subject }, rights, before, run_id);
  const given = reason === null ? null : { salt: salts.reason, reason };
  const at = isoTime(env.clock.now());
  // Both in canonical order, see evidenceOf.
  const approver: Approver = { at, decision, ...issuer, ...behalf, principal_id, ...subject };
  const event: EventData<'decision'> = {
    ...(decision === 'denied' || route.approvals === 1
      ? {}
      : { approvals: { given: before.length + 1, needed: route.approvals } }),
    at,
    decision,
    digest,
    ...(edited === null ? {} : { edited: edited.pause.digest }),
    ...(escalated_at === null ? {} : { escalated_at }),
    ...issuer,
    ...behalf,
    principal_id,
    ...(given === null ? {} : { reason_digest: reasonDigest(given) }),
    route_digest: route.digest,
    ...subject,
    ...(together === null ? {} : { together: { run_id: together.run_id, runs: together.runs } }),
  };
  return { approver, event, before, edited, given };
}

export function newSalts(): DecisionSalts {
  return { edits: newSalt(), reason: newSalt() };
}

/** @throws {SvcError} SVC-AUTH-005 for a signature that `svc ledger verify` would refuse: it is invalid, signs something else, or was used before */
function signedEvent(
  { run_id, row }: LiveRun,
  { node }: OpenedPause,
  event: EventData<'decision'>,
  signed: SignedDecision,
): EventData<'decision'> {
  const { subject, together, ...first } = event;
  const data = { ...first, signed, ...(subject !== undefined && { subject }), ...(together !== undefined && { together }) };
  if (signaturesIn(run_id, [...row.events, { event_type: 'decision', node, data }]) !== null) return data;
  throw new SvcError(
    'SVC-AUTH-005',
    'the signature is for another decision, or was already used; read the run again, and sign again',
    {
      run_id,
    },
  );
}

function unsigned(run_id: string): SvcError {
  return new SvcError(
    'SVC-AUTH-005',
    'this route requires a decision that is signed by a passkey: sign in with your account on the page /approvals of this gateway, and decide there',
    { run_id },
  );
}

/**
 * The first right that gives an additional approval; for a person who has already approved, the first of their rights.
 * @throws {SvcError} SVC-APPR-002 if no right gives an additional approval
 */
function usedRight(
  person: Person,
  rights: readonly Right[],
  before: readonly DecisionData[],
  run_id: string,
): Pick<Right, 'escalated_at'> & Pick<DecisionData, 'on_behalf_of'> {
  const hasApproved = before.some((other) => isSamePerson(other, person));
  for (const { delegation, escalated_at } of rights) {
    const behalf = delegation === null ? {} : { on_behalf_of: { delegation_id: delegation.id, ...delegation.from } };
    if (hasApproved || !before.some((other) => sharePerson(other, { ...person, ...behalf }))) return { escalated_at, ...behalf };
  }
  throw new SvcError(
    'SVC-APPR-002',
    'a delegate and the person they decide for count once, and one of you has approved; another approver must decide',
    { run_id },
  );
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
  {
    decision,
    seen,
    edits,
    salt,
  }: { decision: Decision['decision']; seen: string | null; edits: readonly TextEdit[]; salt: string },
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
  return editedPause(run, pause, before, salt, env);
}
