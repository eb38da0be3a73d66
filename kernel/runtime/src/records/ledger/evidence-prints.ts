import { hash } from 'node:crypto';
import type { RunRow } from '@svc/contracts';
import type { ReadRecord } from '@svc/ledger';

const FIRST_ROOM = 1024;
const NONE = 0n;

/** The fields of evidence that the row of the run also has. */
type EvidencedFields = Pick<
  RunRow,
  'run_id' | 'route' | 'principal_id' | 'status' | 'created_at' | 'approver' | 'session' | 'client' | 'user'
>;

/** A 64-bit fingerprint of the fields that the evidence and the row of a run have in common. Never {@link NONE}. */
function printOf(
  hashOfRecord: string,
  { run_id, route, principal_id, status, created_at, approver, session, client, user }: EvidencedFields,
): bigint {
  const { issuer, subject } = approver ?? {};
  const decision = approver === null ? null : [approver.principal_id, approver.decision, approver.at, issuer, subject];
  const said = JSON.stringify([hashOfRecord, run_id, route, principal_id, status, created_at, decision, session, client, user]);
  return hash('sha256', said, 'buffer').readBigUInt64LE() | 1n;
}

/** Compares records of evidence with rows of ended runs. Needs 8 bytes per record. */
export class EvidencePrints {
  #prints = new BigUint64Array(FIRST_ROOM);

  /** Adds the fingerprint of a record if the record is evidence. */
  add({ place: { seq, hash }, model_id: route, run }: ReadRecord): void {
    if (run === null) return;
    if (seq >= this.#prints.length) {
      const more = new BigUint64Array(2 * seq);
      more.set(this.#prints);
      this.#prints = more;
    }
    this.#prints[seq] = printOf(hash, { ...run, route, session: run.session?.id } as EvidencedFields);
  }

  /** Whether the row matches the evidence that it points to, and no earlier row does. */
  take(row: RunRow): boolean {
    const { seq, hash: sealed } = row.evidence ?? { seq: 0, hash: '' };
    const { session: _, client: __, user: ___, ...older } = row;
    // Gateways of earlier releases write evidence without the fields that the client sent.
    const isIts = row.evidence !== null && [row, older].some((known) => this.#prints[seq] === printOf(sealed, known));
    if (isIts) this.#prints[seq] = NONE;
    return isIts;
  }

  /** The seq of the first evidence that matches no row, or null. */
  get unmatched(): number | null {
    const seq = this.#prints.findIndex((print) => print !== NONE);
    return seq < 0 ? null : seq;
  }
}
