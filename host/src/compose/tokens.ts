import type { Clock, Counters, Store } from '@svc/contracts';
import type { BytesInFlight } from '@svc/kernel/admission';
import type { Observer } from '@svc/kernel/observing';
import type { GuardPool } from '@svc/kernel/workers';
import type { Gateway } from '@svc/runtime';
import type { Logger } from 'pino';
import type { DepsFactories, ResolvedConfig } from '../config/index.ts';
import type { KeyRing } from '../http/key-ring.ts';
import type { KeyUses } from '../http/key-uses.ts';
import type { RunStreams } from '../http/run-events/run-streams.ts';
import type { ServerCertificates } from '../http/server/tls.ts';
import type { StoredKeys } from '../http/stored-keys.ts';
import type { Server } from '../http/typed-server.ts';
import type { KeptContentKeys } from '../keys/content-key.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { Notices } from '../notices/notices.ts';
import type { IssuersInForce } from '../oidc/issuers-in-force.ts';
import type { StoredPasskeys } from '../passkeys/stored-passkeys.ts';
import type { ActiveConfiguration } from '../reload/active-configuration.ts';
import type { Reload } from '../reload/reload.ts';
import type { Rag } from '../retrieval/index.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';
import type { AssembleOptions } from './assemble-options.ts';
import { token } from './container.ts';

// Parts of every command.
export const LOGGER = token<Logger>('logger');
export const CLOCK = token<Clock>('clock');
/** The thread pool of the guards. */
export const GUARD_POOL = token<GuardPool>('guard pool');
/** Dependencies of plugins. */
export const PLUGIN_DEPS = token<DepsFactories>('plugin dependencies');

// Parts of a server only.
/** The configuration at start, for settings that a reload does not change. */
export const CONFIG = token<ResolvedConfig>('configuration');
export const OPTIONS = token<AssembleOptions>('options');
export const DRAINING = token<{ begun: boolean; refuses: boolean }>('draining');
export const RATE_LIMITS = token<RateLimits>('rate limits');
export const BYTES_IN_FLIGHT = token<BytesInFlight>('bytes in flight');
export const TRACING = token<Promise<Tracing | null>>('tracing');
export const OBSERVER = token<Promise<Observer>>('observer');
export const STORE = token<Promise<Store>>('store');
export const CONTENT_KEYS = token<Promise<KeptContentKeys>>('content keys');
export const COUNTERS = token<Promise<Counters>>('counters');
export const ACTIVE = token<ActiveConfiguration>('active configuration');
export const RELOAD = token<Reload>('reload');
export const RAG = token<Promise<Rag | null>>('rag');
export const NOTICES = token<Promise<Notices | null>>('notices');
export const GATEWAY = token<Promise<Gateway>>('gateway');
export const RUN_STREAMS = token<Promise<RunStreams>>('run streams');
export const KEY_RING = token<KeyRing>('key ring');
/** Issuers of JSON Web Tokens, and of people who sign in on the pages. */
export const ISSUERS = token<IssuersInForce>('issuers');
export const STORED_KEYS = token<StoredKeys>('stored keys');
export const STORED_PASSKEYS = token<StoredPasskeys>('stored passkeys');
export const KEY_USES = token<KeyUses>('key uses');
export const CERTIFICATES = token<ServerCertificates>('certificates');
export const SERVER = token<Promise<Server>>('server');
