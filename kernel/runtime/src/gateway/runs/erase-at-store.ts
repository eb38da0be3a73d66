import { randomUUID } from 'node:crypto';
import { type Clock, isSvcError, type Logger, type Store } from '@svc/contracts';
import { LedgerWriter, type Track } from '@svc/kernel';
import { BytesInFlight } from '@svc/kernel/admission';
import { noopObserver } from '@svc/kernel/observing';
import { NO_WORKERS } from '@svc/kernel/workers';
import type { ContentKeys } from '../../content/key-tree.ts';
import { TRUSTED_APPROVERS } from '../../pauses/approver.ts';
import { Delegations } from '../../pauses/delegations.ts';
import { assertNotMigrated } from '../../records/ledger/migrated.ts';
import { OperationsLog } from '../../records/operations-log/operations-log.ts';
import { OperationalStates } from '../../records/states/operational-states.ts';
import { runsWithContent } from './each-run.ts';
import { type Erased, type EraseEnv, type Eraser, erase, eraseOnRecord, erasure } from './erase.ts';
import type { GatewayEnv } from './gateway-env.ts';
import { gatewayEnv } from './gateway-env.ts';

/** What an erasure without a running gateway needs. `store` must be open, and stays open. */
export interface EraseOptions {
  readonly store: Store;
  readonly content_keys: ContentKeys;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly config_digest: string;
  /** The reason for the record, on one line. Null: none. It must not be secret. */
  readonly reason: string | null;
}

/** An operator who has access to the store and is not identified. */
const operator = ({ reason }: EraseOptions): Eraser => ({
  principal_id: 'operator',
  scope: 'all',
  actor: { principal_id: null, issuer: null, subject: null },
  reason,
});

const untracked: Track = (_run, work) => work();

/** @throws {SvcError} see `erase`; {@link LedgerMigrated}; an error if the store's content is encrypted under another key */
export async function eraseAtStore(run_id: string, options: EraseOptions): Promise<Erased> {
  const env = await newEnv(options);
  await env.content.open(options.clock.now());
  return erase(run_id, operator(options), env, untracked);
}

/**
 * Erases all content, whatever key encrypts it. The store and the operations log then use this content key. If the key of the operations log is lost,
 * the log's records are accepted as they are. Runs that are in progress, or whose process died, are skipped: they end by themselves. Nobody else may
 * write meanwhile. May be repeated after a failure.
 * @returns the number of erased runs
 * @throws {@link LedgerMigrated}
 */
export async function eraseAllAtStore(options: EraseOptions, progress: (runs: number) => void): Promise<number> {
  const env = await newEnv(options);
  const by = operator(options);
  await env.operations.records.adopt();
  await env.operations.renewKey();
  // One record for all runs, because every gateway reads the whole log when it starts.
  await env.operations.append(() => erasure('content.erased', { kind: 'runs', name: 'all' }, by));
  await env.operations.exchangeKey(async () => {});
  let erased = 0;
  for await (const run_id of runsWithContent(options.store)) {
    if (await isErased(run_id, by, env)) erased += 1;
    progress(erased);
  }
  await env.content.adopt(options.clock.now());
  return erased;
}

async function isErased(run_id: string, by: Eraser, env: GatewayEnv): Promise<boolean> {
  try {
    await eraseOnRecord(run_id, by, env, untracked);
    return true;
  } catch (error) {
    if (isSvcError(error) && (error.code === 'SVC-RUN-004' || error.code === 'SVC-RUN-002')) return false;
    throw error;
  }
}

async function newEnv({
  store,
  content_keys,
  clock,
  logger,
  config_digest,
}: EraseOptions): Promise<EraseEnv & { readonly operations: OperationsLog }> {
  // Erasing a waiting run ends it with evidence. If the ledger continues elsewhere, this would fork it.
  await assertNotMigrated(store);
  // Without routes, no guard settles, so reservations expire. Nothing runs, so nothing pauses.
  const none = { routes: new Map(), config_digest };
  return gatewayEnv({
    store,
    clock,
    logger,
    content_keys,
    config_digest,
    active: () => none,
    policy: new OperationalStates(),
    delegations: new Delegations(),
    approvers: TRUSTED_APPROVERS,
    max_paused: { in_all: 0, per_principal: 0 },
    reuse_for_ms: 0,
    workers: NO_WORKERS,
    count_tokens: null,
    observer: noopObserver,
    writer: new LedgerWriter(store, { clock, logger, observer: noopObserver, afterOutage: () => undefined }),
    operations: new OperationsLog({ store, clock, content_keys, logger, apply: [] }),
    bytes: new BytesInFlight(Number.POSITIVE_INFINITY),
    instance: randomUUID(),
    assertStamped: () => undefined,
    record_content: false,
    record_start: true,
    result_ttl_ms: 0,
    expire_after_ms: 0,
    retention_ms: null,
  });
}
