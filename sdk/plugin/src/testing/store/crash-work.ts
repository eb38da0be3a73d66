import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { DumpItem, Lease, LedgerHead, Store } from '@svc/contracts';
import { createRun, moveRun } from './builders.ts';
import { commitSealed, placedAfter } from './chain.ts';
import { CALLERS, callOf, LOADED_RUNS, payloadOf, responseOf, runOfCall, type Said, TOTAL } from './crash-plan.ts';
import type { CrashWork } from './fixture.ts';

const NEVER = Number.MAX_SAFE_INTEGER;
const LEASE_MS = 3_600_000;
const SAID_EVERY = 250;

/** Waits until the report is in the pipe, so that it is not lost with this process. */
function say(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`);
}

/**
 * For a process that the conformance suite starts and kills. Works on the opened store, and reports on stdout what is durable. Ends only when it has
 * loaded everything.
 */
export async function workUntilKilled(store: Store, work: CrashWork): Promise<void> {
  const name = randomUUID();
  say({ said: 'began', process: name });
  switch (work) {
    case 'commit': {
      const lease = await store.acquireLease(name, name, LEASE_MS);
      if (lease === null) throw new Error('another process holds the lease of this process');
      await Promise.all(Array.from({ length: CALLERS }, (_, caller) => callWithoutEnd(store, name, caller, lease)));
      return;
    }
    case 'load':
      await store.load(itemsToLoad());
      say({ said: 'loaded' });
      await store.close();
      return;
  }
}

async function callWithoutEnd(store: Store, name: string, caller: number, lease: Lease): Promise<never> {
  for (let n = 0; ; n++) {
    const call = callOf(name, caller, n);
    const run = runOfCall(call);
    const holds = [TOTAL, call.id].map((key) => ({ key, amount: call.held, limit: NEVER, expires_at: NEVER }));
    const { granted } = await store.counters.reserve(call.id, holds);
    const put_content = [payloadOf(call)];
    const [created] = await store.commit([createRun(run, { unique_key: call.id, put_content })], []);
    if (!granted || created?.result !== 'committed') throw new Error(`unexpected: ${granted}, ${created?.result}`);
    say({ said: 'created', caller, n });
    const spend = [TOTAL, call.id].map((key) => ({ key, amount: call.spent, expires_at: NEVER }));
    const [ended] = await commitSealed(store, [
      moveRun(run, 'completed', {
        drop_content: ['payload'],
        put_content: [responseOf(call)],
        settlements: [{ reservation: call.id, spend }],
      }),
    ]);
    if (ended?.result !== 'committed' || ended.evidence === null) throw new Error(`unexpected: ${ended?.result}`);
    say({ said: 'ended', caller, n, ...ended.evidence });
    if (caller > 0) continue;
    if (!(await store.moveCursor(name, n + 1, lease))) throw new Error('another process took over the lease');
    say({ said: 'moved', cursor: n + 1 });
  }
}

async function* itemsToLoad(): AsyncGenerator<DumpItem> {
  let taken = 0;
  const count = <T extends DumpItem>(item: T): T => {
    taken += 1;
    if (taken % SAID_EVERY === 0) say({ said: 'took', items: taken });
    return item;
  };
  const runs = Array.from({ length: LOADED_RUNS }, (_, n) => callOf('loaded', n % CALLERS, n));
  const evidence: LedgerHead[] = [];
  for (const call of runs) {
    const record = placedAfter(evidence.at(-1) ?? null, { fields: { run_id: call.id } });
    evidence.push({ seq: record.seq, hash: record.hash });
    yield count({ kind: 'record', record });
  }
  for (const [i, call] of runs.entries()) {
    yield count({ kind: 'run', run: { ...runOfCall(call), status: 'completed', evidence: evidence[i] ?? null } });
    yield count({ kind: 'content', run_id: call.id, item: responseOf(call) });
  }
}
