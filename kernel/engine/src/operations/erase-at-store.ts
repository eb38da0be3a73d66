import { randomUUID } from 'node:crypto';
import { type Clock, isSvcError, type Logger, type Store } from '@svc/contracts';
import { BytesInFlight } from '../admission/bytes-in-flight.ts';
import { PauseLimits } from '../admission/pause-limits.ts';
import type { ContentKeys } from '../content/keys.ts';
import { ContentVault } from '../content/vault.ts';
import { LedgerWriter } from '../core/ledger-writer.ts';
import { assertNotMigrated } from '../ledger/migrated.ts';
import { noopObserver } from '../observing/observer.ts';
import { NO_WORKERS } from '../workers/guard-workers.ts';
import { runsWithContent } from './each-run.ts';
import type { Erased } from './erase.ts';
import { Runs } from './runs.ts';

/** What an erasure needs where no gateway serves. `store` is open, and its caller's to close. */
export interface EraseOptions {
  readonly store: Store;
  readonly content_keys: ContentKeys;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly config_digest: string;
}

/** As whom an operator at the store itself stands in events. */
const OPERATOR = { principal_id: 'operator', scope: 'all' } as const;

/** @throws {SvcError} see `erase`; {@link LedgerMigrated}; where the store's content is sealed under another key */
export async function eraseAtStore(run_id: string, options: EraseOptions): Promise<Erased> {
  const { runs, vault } = await open(options);
  await vault.open(options.clock.now());
  return runs.erase(run_id, OPERATOR);
}

/**
 * Erases whatever content there is, under whatever key, and lets the store go on under this one. Runs that a process works on, or worked on
 * when it died, are left to their end.
 * @returns the number of runs
 * @throws {@link LedgerMigrated}
 */
export async function eraseAllAtStore(options: EraseOptions, progress: (runs: number) => void): Promise<number> {
  const { runs, vault } = await open(options);
  let erased = 0;
  for await (const run_id of runsWithContent(options.store)) {
    if (await isErased(runs, run_id)) erased += 1;
    progress(erased);
  }
  await vault.adopt(options.clock.now());
  return erased;
}

async function isErased(runs: Runs, run_id: string): Promise<boolean> {
  try {
    await runs.erase(run_id, OPERATOR);
    return true;
  } catch (error) {
    if (isSvcError(error) && (error.code === 'SVC-RUN-004' || error.code === 'SVC-RUN-002')) return false;
    throw error;
  }
}

async function open(options: EraseOptions): Promise<{ runs: Runs; vault: ContentVault }> {
  const { store, content_keys, clock, logger, config_digest } = options;
  // A run that waits ends with evidence, and that of a ledger that goes on elsewhere would be a fork.
  await assertNotMigrated(store);
  const vault = new ContentVault(store, content_keys);
  const runs = new Runs({
    store,
    vault,
    clock,
    workers: NO_WORKERS,
    count_tokens: null,
    logger,
    config_digest,
    observer: noopObserver,
    writer: new LedgerWriter(store, { clock, logger, observer: noopObserver, afterOutage: () => undefined }),
    bytes: new BytesInFlight(Number.POSITIVE_INFINITY),
    // No route is served here: what guards reserved for a run lapses.
    routes: new Map(),
    instance: randomUUID(),
    record_content: false,
    record_start: true,
    result_ttl_ms: 0,
    expire_after_ms: 0,
    // Nothing runs, so nothing pauses.
    pauses: new PauseLimits(store, { in_all: 0, per_principal: 0 }),
    retention_ms: null,
  });
  return { runs, vault };
}
