import type { Clock, Logger, Store } from '@svc/contracts';
import type { BytesInFlight } from '../admission/bytes-in-flight.ts';
import type { PauseLimits } from '../admission/pause-limits.ts';
import type { TokenCounter } from '../calls/usage.ts';
import type { OpaqueHandles } from '../content/opaque-handles.ts';
import type { ContentVault } from '../content/vault.ts';
import type { Observer } from '../observing/observer.ts';
import type { GuardWorkers } from '../workers/guard-workers.ts';
import type { LedgerWriter } from './ledger-writer.ts';
import type { RuntimeRoute } from './route.ts';

/** What everything that works on runs shares. */
export interface RunsEnv {
  readonly store: Store;
  readonly writer: LedgerWriter;
  /** Content goes to and comes from the store through this alone. */
  readonly vault: ContentVault;
  /** What leaves in place of values that no guard can read. */
  readonly handles: OpaqueHandles;
  readonly bytes: BytesInFlight;
  readonly clock: Clock;
  /** Threads for the heavy work of guards. */
  readonly workers: GuardWorkers;
  /** Counts what a provider gave no figures of. Null: it is estimated from the length. */
  readonly count_tokens: TokenCounter | null;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly routes: ReadonlyMap<string, RuntimeRoute>;
  readonly config_digest: string;
  /** This process, as run rows and leases name it. */
  readonly instance: string;
  readonly record_content: boolean;
  /** Whether the start of a run is on disk before a model is called; that of a stream always is. */
  readonly record_start: boolean;
  readonly result_ttl_ms: number;
  readonly expire_after_ms: number;
  readonly pauses: PauseLimits;
  /** Counted from when the run was made; null: no bound of its own. */
  readonly retention_ms: number | null;
}
