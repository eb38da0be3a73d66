import type { Store } from '@svc/contracts';
import { LedgerWriter } from '@svc/kernel';
import { BytesInFlight } from '@svc/kernel/admission';
import { TRUSTED_APPROVERS } from '../../pauses/approver.ts';
import { Delegations } from '../../pauses/delegations.ts';
import { OperationsLog } from '../../records/operations-log/operations-log.ts';
import { CONTENT_KEYS } from '../../records/operations-log/test-keys.ts';
import { OperationalStates } from '../../records/states/operational-states.ts';
import { ENV } from '../../test-parts.ts';
import type { EraseEnv } from './erase.ts';
import { type CurrentRoutes, type EnvParts, gatewayEnv } from './gateway-env.ts';

/** The dependencies of runs over this store, with the kernel's real ports. */
export function testEnv(
  store: Store,
  parts: Partial<Omit<EnvParts, 'active'>> = {},
  routes: CurrentRoutes = { routes: new Map(), config_digest: 'config-digest' },
): EraseEnv {
  const { clock, logger } = { ...ENV, ...parts };
  const content_keys = parts.content_keys ?? CONTENT_KEYS;
  return gatewayEnv({
    ...ENV,
    ...routes,
    active: () => routes,
    store,
    policy: new OperationalStates(),
    delegations: new Delegations(clock),
    approvers: TRUSTED_APPROVERS,
    content_keys,
    protocols: [],
    bytes: new BytesInFlight(Number.POSITIVE_INFINITY),
    operations: new OperationsLog({ store, clock, content_keys, logger, apply: [] }),
    writer: new LedgerWriter(store, { ...ENV, clock, logger, afterOutage: () => undefined }),
    instance: 'instance-a',
    assertStamped: () => undefined,
    record_content: false,
    record_start: true,
    result_ttl_ms: 60_000,
    expire_after_ms: 60_000,
    max_paused: { in_all: 100, per_principal: 100 },
    reuse_for_ms: 60_000,
    retention_ms: null,
    ...parts,
  });
}
