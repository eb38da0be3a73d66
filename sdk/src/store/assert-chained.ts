import { GENESIS, type LedgerEntry, type LedgerHead, StoreError } from '@svc/kernel/contracts';
import { checkStoreName } from './store-names.ts';

/** @throws {StoreError} `CHAIN` unless the records go on from the head without a gap; `NAME` */
export function assertChained(head: LedgerHead | null, records: readonly LedgerEntry[]): void {
  let last = head;
  for (const record of records) {
    const expected = (last?.seq ?? 0) + 1;
    if (record.seq !== expected) {
      throw new StoreError('CHAIN', `a record was sealed as seq ${record.seq} where ${expected} is next: nothing was written`);
    }
    // In JSON a quotation mark inside a string is escaped, so these can only be fields.
    if (!record.bytes.includes(`"prev_hash":"${last?.hash ?? GENESIS}"`) || !record.bytes.includes(`"hash":"${record.hash}"`)) {
      throw new StoreError(
        'CHAIN',
        `record ${record.seq} does not hold its hash and that of the record before: nothing was written`,
      );
    }
    checkStoreName('model_id', record.model_id);
    last = { seq: record.seq, hash: record.hash };
  }
}
