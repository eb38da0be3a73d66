import {
  type EvidencePointer,
  GENESIS,
  type LedgerEntry,
  type LedgerHead,
  type SessionHead,
  StoreError,
  type UnplacedRecord,
} from '@svc/contracts';
import { placeRecord, sessionKey } from '@svc/ledger';
import type { Decision } from './decide.ts';
import type { PreparedChange } from './prepared-change.ts';
import { checkStoreName } from './store-names.ts';

/** The records of a commit, linked into the chain. */
export interface PlacedRecords {
  readonly records: readonly LedgerEntry[];
  /** The evidence of each change, by the change's index. */
  readonly pointers: ReadonlyMap<number, EvidencePointer>;
}

/** The keys of the sessions whose records a commit may place, without duplicates. */
export function sessionKeysOf(changes: readonly PreparedChange[], unplaced: readonly UnplacedRecord[]): readonly string[] {
  const keys = unplaced.flatMap(({ change }) => {
    const run = change === null ? undefined : changes[change]?.run;
    return run?.session === undefined ? [] : [sessionKey(run.principal_id, run.session)];
  });
  return [...new Set(keys)];
}

/**
 * Links the records of a commit to the head, in order, except those of changes that lost. Also links a session's records to its last one. Call this
 * inside the exclusive write.
 * @param sessionHead returns the last record of a session on disk, or null
 * @throws {StoreError} `CHAIN` for a record of a change that is not in the commit; `NAME`
 */
export function placeRecords(
  head: LedgerHead | null,
  unplaced: readonly UnplacedRecord[],
  decisions: readonly Decision[],
  sessionHead: (key: string) => SessionHead | null,
): PlacedRecords {
  let { seq, hash } = head ?? { seq: 0, hash: GENESIS };
  const records: LedgerEntry[] = [];
  const pointers = new Map<number, EvidencePointer>();
  const latest = new Map<string, SessionHead>();
  for (const { record_type, model_id, parts, change } of unplaced) {
    const run = change === null ? null : winningRun(decisions[change]);
    if (run === null && change !== null) continue;
    checkStoreName('model_id', model_id);
    seq += 1;
    const id = run?.session;
    if (run === null || id === undefined) {
      const placed = placeRecord(parts, seq, hash);
      hash = placed.hash;
      records.push({ seq, hash, bytes: placed.bytes, record_type, model_id });
    } else {
      const key = sessionKey(run.principal_id, id);
      const before = latest.get(key) ?? sessionHead(key);
      const number = (before?.number ?? 0) + 1;
      const placed = placeRecord(parts, seq, hash, { id, number, prev_hash: before?.hash ?? GENESIS });
      hash = placed.hash;
      latest.set(key, { key, number, seq, hash });
      records.push({ seq, hash, bytes: placed.bytes, record_type, model_id, session: { key, number } });
    }
    if (change !== null) pointers.set(change, { seq, hash });
  }
  return { records, pointers };
}

/** The row of the change that a record belongs to. Null if the change lost. */
function winningRun(decision: Decision | undefined): PreparedChange['run'] | null {
  if (decision === undefined)
    throw new StoreError('CHAIN', 'a record does not belong to any change of its commit: nothing was written');
  return decision.result === 'won' ? decision.winner.prepared.run : null;
}
