import { type Operation, PasskeyRegistered } from '@svc/contracts';
import { Value } from 'typebox/value';
import type { DecisionSignature } from './signed-decision.ts';

/** What an operation says about a passkey. `registered` null: it was removed. Times are ISO 8601. */
export interface PasskeyChange {
  readonly id: string;
  readonly at: string;
  readonly registered: (PasskeyRegistered & Pick<DecisionSignature, 'issuer' | 'subject'>) | null;
}

/** Null: the operation is about something else. */
export function passkeyChangeIn({ action, target, at, actor, change }: Operation): PasskeyChange | null {
  if (action === 'passkey.removed') return { id: target.name, at, registered: null };
  if (action !== 'passkey.registered' || !Value.Check(PasskeyRegistered, change)) return null;
  return { id: target.name, at, registered: { ...change, issuer: actor.issuer, subject: actor.subject } };
}
