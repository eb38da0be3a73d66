import { GENESIS, type LedgerEntry, type LedgerHead, StoreError } from '@svc/contracts';
import { checkStoreName } from './store-names.ts';

/** @throws {StoreError} `CHAIN` unless the records go on from the head without a gap; `NAME` */
export function assertChained(head: LedgerHead | null, records: readonly LedgerEntry[]): void {
  let last = head;
  for (const record of records) {
    const expected = (last?.seq ?? 0) + 1;
    if (record.seq !== expected) {
      throw new StoreError('CHAIN', `the next record must have seq ${expected}, but has ${record.seq}: nothing was written`);
    }
    if (!holds(record, `"prev_hash":"${last?.hash ?? GENESIS}"`) || !holds(record, `"hash":"${record.hash}"`)) {
      throw new StoreError(
        'CHAIN',
        `record ${record.seq} does not contain its hash and the hash of the previous record: nothing was written`,
      );
    }
    checkStoreName('model_id', record.model_id);
    last = { seq: record.seq, hash: record.hash };
  }
}

/**
 * In JSON a quotation mark inside a string is escaped, so what is found can only be a field. Searched from the end, near which both stand:
 * from the beginning the search was 2% of a request.
 */
function holds({ bytes }: LedgerEntry, field: string): boolean {
  return bytes.lastIndexOf(field) >= 0;
}
