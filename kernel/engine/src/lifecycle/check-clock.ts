import type { Clock, Store } from '@svc/contracts';

/** Beyond this a gateway would forget budgets that others, or the process before it, have counted. */
const MAX_SKEW_MS = 300_000;
/** How far back the newest evidence is looked for: each start appends records of routes, which have no time of their own. */
const LOOK_BACK = [16, 256, 4_096];
const MINUTE_MS = 60_000;

/**
 * Refuses a start under a clock by which budgets would begin anew, and evidence be older than what was there before it.
 * @param accepted whether the operator said that the clock is right, and a record is not
 */
export async function checkClock(store: Store, clock: Clock, accepted: boolean): Promise<void> {
  const ahead_ms = clock.now() - (await store.now());
  if (Math.abs(ahead_ms) > MAX_SKEW_MS) {
    const way = ahead_ms > 0 ? 'ahead of' : 'behind';
    throw new Error(`this machine's clock is ${minutes(ahead_ms)} minutes ${way} the database's: set both, best by NTP`);
  }
  const newest = accepted ? null : await newestEvidence(store);
  if (newest === null) return;
  const behind_ms = newest.at - clock.now();
  if (behind_ms <= MAX_SKEW_MS) return;
  throw new Error(
    `this machine's clock is ${minutes(behind_ms)} minutes behind record ${newest.seq} of the ledger: set it, best by NTP; ` +
      'where the clock is right and the record is not, start once with accepts_clock (--accept-clock)',
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
