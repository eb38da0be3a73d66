import type { ReadRecord } from './record.ts';
import { CLOCK_SKEW_MS, type DecisionSignature } from './signed-decision.ts';

/** `other_ledger`: a signature is for another ledger than those before it. `unregistered_passkey`: its key was not registered to its person then. */
export interface PasskeyFault {
  readonly seq: number;
  readonly through: number;
  readonly why: 'other_ledger' | 'unregistered_passkey';
}

interface Registered {
  readonly id: string;
  readonly key: string;
  readonly from_ms: number;
  until_ms: number;
}

const keyOf = ({ public_key, rp_id, issuer, subject }: Omit<DecisionSignature, 'ledger' | 'time'>): string =>
  JSON.stringify([public_key, rp_id, issuer, subject]);

/** Collects the signatures of a ledger and the passkeys of its operations log, and compares them. */
export class Passkeys {
  readonly #signatures: { readonly seq: number; readonly ledger: string; readonly key: string; readonly ms: number }[] = [];
  readonly #registered: Registered[] = [];

  /** @param read a valid record of either log */
  add({ place: { seq }, signatures = [], passkey }: ReadRecord): void {
    for (const signature of signatures)
      this.#signatures.push({ seq, ledger: signature.ledger, key: keyOf(signature), ms: Date.parse(signature.time) });
    if (passkey === undefined) return;
    const { id, at, registered } = passkey;
    if (registered !== null)
      this.#registered.push({ id, key: keyOf(registered), from_ms: Date.parse(at), until_ms: Number.POSITIVE_INFINITY });
    else for (const one of this.#registered) if (one.id === id) one.until_ms = Math.min(one.until_ms, Date.parse(at));
  }

  /** Valid signatures so far. */
  get signatures(): number {
    return this.#signatures.length;
  }

  /** Call it after all records. @param hasOperations whether those of the operations log are among them */
  fault(hasOperations: boolean): PasskeyFault | null {
    const [first] = this.#signatures;
    const registered = Map.groupBy(this.#registered, ({ key }) => key);
    for (const { seq, ledger, key, ms } of this.#signatures) {
      if (ledger !== first?.ledger) return { seq, through: seq, why: 'other_ledger' };
      const isKnown = registered
        .get(key)
        ?.some(({ from_ms, until_ms }) => from_ms - CLOCK_SKEW_MS <= ms && ms <= until_ms + CLOCK_SKEW_MS);
      if (hasOperations && isKnown !== true) return { seq, through: seq, why: 'unregistered_passkey' };
    }
    return null;
  }
}
