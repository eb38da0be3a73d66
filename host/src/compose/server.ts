import type { Counters } from '@svc/contracts';
import { boundedCounters } from '@svc/runtime/records';
import type { ResolvedConfig } from '../config/index.ts';
import { KeyRing } from '../http/key-ring.ts';
import { KeyUses } from '../http/key-uses.ts';
import { RunStreams } from '../http/run-events/run-streams.ts';
import { StoredKeys } from '../http/stored-keys.ts';
import { contentKeys } from '../keys/content-key.ts';
import { RateLimits } from '../limits/rate-limits.ts';
import { StoredPasskeys } from '../passkeys/stored-passkeys.ts';
import { ActiveConfiguration } from '../reload/active-configuration.ts';
import type { AssembleOptions } from './assemble-options.ts';
import { type Container, provide } from './container.ts';
import { makeRag, openGateway } from './gateway.ts';
import { makeCertificates, makeServer } from './http-server.ts';
import { makeIssuers } from './issuers.ts';
import { makeReload } from './make-reload.ts';
import { makeNotices } from './notices.ts';
import { makeStore } from './store.ts';
import {
  ACTIVE,
  BYTES_IN_FLIGHT,
  CERTIFICATES,
  CLOCK,
  CONFIG,
  CONTENT_KEYS,
  COUNTERS,
  DRAINING,
  GATEWAY,
  ISSUERS,
  KEY_RING,
  KEY_USES,
  LOGGER,
  NOTICES,
  OBSERVER,
  OPTIONS,
  RAG,
  RATE_LIMITS,
  RELOAD,
  RUN_STREAMS,
  SERVER,
  STORE,
  STORED_KEYS,
  STORED_PASSKEYS,
  TRACING,
} from './tokens.ts';
import { countBytes, makeObserver, startTracing } from './watching.ts';

/** Registers the parts that serve this configuration. Opens nothing. */
export function provideServer(container: Container, config: ResolvedConfig, options: AssembleOptions): void {
  provide(container, CONFIG, () => config);
  provide(container, OPTIONS, () => options);
  provide(container, DRAINING, () => ({ begun: false, refuses: false }));
  provide(container, BYTES_IN_FLIGHT, countBytes);
  provide(container, RATE_LIMITS, () => new RateLimits(config.limits, container.resolve(CLOCK)));
  provide(container, TRACING, startTracing);
  provide(container, OBSERVER, makeObserver);
  provide(container, STORE, async () => options.store ?? makeStore(options.runs_db, config.catalogue, container));
  provide(container, NOTICES, makeNotices);
  provide(container, COUNTERS, makeCounters);
  provide(container, CONTENT_KEYS, () => contentKeys(config.store, options.runs_db));
  provide(container, ACTIVE, () => new ActiveConfiguration(config, container.resolve(CLOCK).now()));
  provide(container, RELOAD, makeReload);
  provide(container, RAG, makeRag);
  provide(container, GATEWAY, openGateway);
  provide(container, RUN_STREAMS, async () => {
    const { runs } = await container.resolve(GATEWAY);
    return new RunStreams({ watch: () => runs.pausedChanges(), logger: container.resolve(LOGGER) });
  });
  provide(container, ISSUERS, makeIssuers);
  provide(container, STORED_KEYS, () => new StoredKeys(container.resolve(CLOCK)));
  provide(container, STORED_PASSKEYS, () => new StoredPasskeys());
  provide(container, KEY_USES, () => new KeyUses(container.resolve(STORE), container.resolve(CLOCK)));
  provide(container, KEY_RING, () => new KeyRing(config.keys, container.resolve(STORED_KEYS)));
  provide(container, CERTIFICATES, makeCertificates);
  provide(container, SERVER, makeServer);
}

async function makeCounters(container: Container): Promise<Counters> {
  const counters = boundedCounters((await container.resolve(STORE)).counters);
  const watched = (await container.resolve(NOTICES))?.watched(counters) ?? counters;
  return container.resolve(OPTIONS).metrics.watchedBudgets(watched, container.resolve(CLOCK));
}
