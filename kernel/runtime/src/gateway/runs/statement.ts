import { randomBytes } from 'node:crypto';
import { type DecisionStatement, MAX_SIGNED_COPIES } from '@svc/contracts';
import { findRun, openPaused } from '@svc/kernel';
import { rightsOn } from '../../pauses/approver.ts';
import { type DecisionSalts, draftDecision, newSalts, type Verdict } from '../../pauses/decision.ts';
import { pendingDigest } from '../../pauses/quorum.ts';
import { ledgerId } from '../../records/ledger/ledger-id.ts';
import { copiesOf } from './copies.ts';
import type { GatewayEnv } from './gateway-env.ts';

/** A statement to sign with a passkey, and what its digests depend on. Salts are secret until the decision is made. */
export interface MadeStatement {
  readonly statement: DecisionStatement;
  readonly salts: DecisionSalts;
}

/**
 * What an approver signs in order to decide on a paused run. Changes nothing.
 * @throws {SvcError} SVC-RUN-001, SVC-RUN-002, SVC-RUN-003, SVC-RUN-005; those of {@link draftDecision}
 */
export async function statementFor(run_id: string, principal_id: string, made: Verdict, env: GatewayEnv): Promise<MadeStatement> {
  const row = await findRun(run_id, env);
  const { run, pause } = await openPaused(row, env.routes.get(row.route), env);
  const salts = newSalts();
  const { event } = draftDecision(run, pause, principal_id, made, { together: null, salts }, env);
  const { at, decision, digest, edited = null, on_behalf_of = null, reason_digest = null } = event;
  // Edits are for the run that the approver has read.
  const copies = edited === null ? await copiesOf(row, env.store) : [];
  // One principal may have sent the copies for different people, and a later copy may not be escalated yet.
  const decidable = copies.filter((copy) => rightsOn(copy, { ...made, principal_id }, env).length > 0);
  const statement: DecisionStatement = {
    copies: decidable.slice(0, MAX_SIGNED_COPIES).map((copy) => ({ digest: pendingDigest(copy.events), run_id: copy.run_id })),
    decision,
    digest,
    edited,
    ledger: await ledgerId(env.store),
    node: pause.node,
    nonce: randomBytes(16).toString('base64url'),
    on_behalf_of,
    principal_id,
    reason_digest,
    run_id,
    time: at,
    type: 'svc.decision.v1',
  };
  return { statement, salts };
}
