import type { Clock, Store } from '@svc/contracts';

/** With a larger skew, budgets that were counted with the correct time would be reset. */
const MAX_SKEW_MS = 300_000;
/** How many records the search for the newest evidence goes back, step by step. Every start appends inventory records, which have no time. */
const LOOK_BACK = [16, 256, 4_096];
const MINUTE_MS = 60_000;

/**
 * Refuses to start with a wrong clock. Otherwise budgets would be reset, and new evidence would be older than existing evidence.
 * @param accepted the operator confirms that the clock is right and the record is wrong
 */
export async function checkClock(store: Store, clock: Clock, accepted: boolean): Promise<void> {
  const ahead_ms = clock.now() - (await store.now());
  if (Math.abs(ahead_ms) > MAX_SKEW_MS) {
    const way = ahead_ms > 0 ? 'ahead of' : 'behind';
    throw new Error(
      `the clock of this machine is ${minutes(ahead_ms)} minutes ${way} the clock of the database: correct both, for example with NTP`,
    );
  }
  const newest = accepted ? null : await newestEvidence(store);
  if (newest === null) return;
  const lag_ms = newest.at - clock.now();
  if (lag_ms <= MAX_SKEW_MS) return;
  throw new Error(
    `the clock of this machine is ${minutes(lag_ms)} minutes behind record ${newest.seq} of the ledger: correct it, for example with NTP. ` +
      'If the clock is right and the record is wrong, start once with accepts_clock (--accept-clock)',
  );
}

async function newestEvidence(store: Store): Promise<{ seq: number; at: number } | null> {
  const head = await store.head();
  for (const limit of head === null ? [] : LOOK_BACK) {
    const since_seq = Math.max(0, (head?.seq ?? 0) - limit);
    const newest = (await store.records({ since_seq, limit, record_type: 'run_evidence' })).at(-1);
    if (newest === undefined) continue;
    const { completed_at } = JSON.parse(newest.bytes) as { completed_at: string };
    return { seq: newest.seq, at: Date.parse(completed_at) };
  }
  return null;
}

function minutes(ms: number): number {
  return Math.round(Math.abs(ms) / MINUTE_MS);
}
