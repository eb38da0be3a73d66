import {
  type EvidencePointer,
  GENESIS,
  type LedgerEntry,
  type LedgerHead,
  StoreError,
  type UnplacedRecord,
} from '@svc/contracts';
import { placeRecord } from '@svc/ledger';
import type { Decision } from './decide.ts';
import { checkStoreName } from './store-names.ts';

/** The records of a commit, linked into the chain. */
export interface PlacedRecords {
  readonly records: readonly LedgerEntry[];
  /** Evidence of each change by its index. */
  readonly pointers: ReadonlyMap<number, EvidencePointer>;
}

/**
 * Links the records of a commit to the head, in order, except those of changes that lost. Call it inside the exclusive write.
 * @throws {StoreError} `CHAIN` for a record of a change that is not in the commit; `NAME`
 */
export function placeRecords(
  head: LedgerHead | null,
  unplaced: readonly UnplacedRecord[],
  decisions: readonly Decision[],
): PlacedRecords {
  let { seq, hash } = head ?? { seq: 0, hash: GENESIS };
  const records: LedgerEntry[] = [];
  const pointers = new Map<number, EvidencePointer>();
  for (const { record_type, model_id, parts, change } of unplaced) {
    if (change !== null && !isWon(decisions[change])) continue;
    checkStoreName('model_id', model_id);
    seq += 1;
    const placed = placeRecord(parts, seq, hash);
    hash = placed.hash;
    records.push({ seq, hash, bytes: placed.bytes, record_type, model_id });
    if (change !== null) pointers.set(change, { seq, hash });
  }
  return { records, pointers };
}

function isWon(decision: Decision | undefined): boolean {
  if (decision === undefined)
    throw new StoreError('CHAIN', 'a record does not belong to any change of its commit: nothing was written');
  return decision.result === 'won';
}
