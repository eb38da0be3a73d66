import { GENESIS, type LedgerHead, type LedgerRecordType, type SealedRecord } from '@svc/contracts';
import type { PlaceRecord } from '@svc/ledger';

/** A record that belongs to no run, such as a `model_inventory`. */
export interface LooseRecord {
  readonly record_type: LedgerRecordType;
  readonly model_id: string;
  readonly place: PlaceRecord;
}

/** Chains records on to the head, in order. */
export function placeRecords(
  head: LedgerHead | null,
  records: readonly (LooseRecord & { change: number | null })[],
): SealedRecord[] {
  let { seq, hash } = head ?? { seq: 0, hash: GENESIS };
  return records.map(({ record_type, model_id, place, change }) => {
    seq += 1;
    const placed = place(seq, hash);
    hash = placed.hash;
    return { seq, hash, bytes: placed.bytes, record_type, model_id, change };
  });
}
