import { boundedCounters } from '@svc/kernel';
import type { ResolvedConfig } from '../config/index.ts';
import { KeyRing } from '../http/key-ring.ts';
import { contentKeys } from '../keys/content-key.ts';
import { ActiveConfiguration } from '../reload/active-configuration.ts';
import type { AssembleOptions } from './assemble-options.ts';
import { type Container, provide } from './container.ts';
import { makeRag, openGateway } from './gateway.ts';
import { makeServer } from './http-server.ts';
import { makeIssuers } from './issuers.ts';
import { makeReload } from './make-reload.ts';
import { makeStore } from './store.ts';
import {
  ACTIVE,
  BYTES_IN_FLIGHT,
  CLOCK,
  CONFIG,
  CONTENT_KEYS,
  COUNTERS,
  DRAINING,
  GATEWAY,
  ISSUERS,
  KEY_RING,
  OBSERVER,
  OPTIONS,
  RAG,
  RELOAD,
  SERVER,
  STORE,
  TRACING,
} from './tokens.ts';
import { countBytes, makeObserver, startTracing } from './watching.ts';

/** Registers the parts that serve this configuration. Opens nothing. */
export function provideServer(container: Container, config: ResolvedConfig, options: AssembleOptions): void {
  provide(container, CONFIG, () => config);
  provide(container, OPTIONS, () => options);
  provide(container, DRAINING, () => ({ begun: false }));
  provide(container, BYTES_IN_FLIGHT, countBytes);
  provide(container, TRACING, startTracing);
  provide(container, OBSERVER, makeObserver);
  provide(container, STORE, () => makeStore(options.runs_db, config.catalogue, container));
  provide(container, COUNTERS, async () => boundedCounters((await container.resolve(STORE)).counters));
  provide(container, CONTENT_KEYS, () => contentKeys(config.store, options.runs_db));
  provide(container, ACTIVE, () => new ActiveConfiguration(config, container.resolve(CLOCK).now()));
  provide(container, RELOAD, makeReload);
  provide(container, RAG, makeRag);
  provide(container, GATEWAY, openGateway);
  provide(container, KEY_RING, () => new KeyRing(config.keys));
  provide(container, ISSUERS, makeIssuers);
  provide(container, SERVER, makeServer);
}
