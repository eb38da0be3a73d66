import { PasskeyRegistered } from '@svc/contracts';
import type { ApplyOperation } from '@svc/runtime/records';
import { Value } from 'typebox/value';
import type { Passkey } from '../http/passkeys.ts';

/** A passkey with its public key: COSE, base64url. */
export interface StoredPasskey extends Passkey {
  readonly public_key: string;
}

/** The passkeys that people have registered, from the operations log. A record in an unknown form makes no passkey valid. */
export class StoredPasskeys {
  readonly #all = new Map<string, StoredPasskey>();

  /** Applies a record of the operations log. Ignores records of other kinds. */
  readonly apply: ApplyOperation = ({ action, target: { name: id }, actor, change, at }) => {
    const known = this.#all.get(id);
    if (action === 'passkey.removed') {
      if (known !== undefined) this.#all.set(id, { ...known, removed_at: known.removed_at ?? at });
      return known !== undefined;
    }
    if (action !== 'passkey.registered') return true;
    const { principal_id, issuer, subject } = actor;
    if (known !== undefined || principal_id === null || issuer === null || subject === null) return false;
    if (!Value.Check(PasskeyRegistered, change)) return false;
    const { algorithm, public_key, rp_id } = change;
    const person = { principal_id, issuer, subject };
    this.#all.set(id, { id, ...person, algorithm, public_key, rp_id, created_at: at, removed_at: null });
    return true;
  };

  /** Also returns a removed passkey. */
  get(id: string): StoredPasskey | undefined {
    return this.#all.get(id);
  }

  /** Whether a person has registered this public key, and not removed it. */
  has(person: { readonly issuer?: string; readonly subject?: string }, public_key: string): boolean {
    const isOf = (one: StoredPasskey): boolean => one.issuer === person.issuer && one.subject === person.subject;
    return [...this.#all.values()].some((one) => one.public_key === public_key && isOf(one) && one.removed_at === null);
  }

  /** The valid passkeys of a relying party, in order of registration. */
  valid(rp_id: string): StoredPasskey[] {
    return [...this.#all.values()].filter((one) => one.rp_id === rp_id && one.removed_at === null);
  }
}
