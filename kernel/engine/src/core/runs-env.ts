import type { Clock, Logger, Store } from '@svc/contracts';
import type { BytesInFlight } from '../admission/bytes-in-flight.ts';
import type { PauseLimits } from '../admission/pause-limits.ts';
import type { CarryingEnv } from '../calls/carried.ts';
import type { TokenCounter } from '../calls/usage.ts';
import type { ContentVault } from '../content/vault.ts';
import type { Circuits } from '../endpoints/circuits.ts';
import type { Observer } from '../observing/observer.ts';
import type { OperationalStates } from '../operational-states/operational-states.ts';
import type { EarlierDecisions } from '../repeats/earlier-decisions.ts';
import type { GuardWorkers } from '../workers/guard-workers.ts';
import type { LedgerWriter } from './ledger-writer.ts';
import type { RuntimeRoute } from './route.ts';

/** What all code that works on runs shares. */
export interface RunsEnv extends CarryingEnv {
  readonly store: Store;
  readonly writer: LedgerWriter;
  /** The only way to read or write content in the store. */
  readonly vault: ContentVault;
  readonly bytes: BytesInFlight;
  readonly clock: Clock;
  /** Threads for the heavy work of guards. */
  readonly workers: GuardWorkers;
  /** Counts tokens if a provider reports none. Null: they are estimated from the length. */
  readonly count_tokens: TokenCounter | null;
  readonly logger: Logger;
  readonly circuits: Circuits;
  /** What operators have put out of use. */
  readonly operational: OperationalStates;
  readonly observer: Observer;
  readonly routes: ReadonlyMap<string, RuntimeRoute>;
  readonly config_digest: string;
  /** The name of this process in run rows and leases. */
  readonly instance: string;
  readonly record_content: boolean;
  /** Whether the start of a run is on disk before a model is called; for streams it always is. */
  readonly record_start: boolean;
  readonly result_ttl_ms: number;
  readonly expire_after_ms: number;
  readonly pauses: PauseLimits;
  readonly decided: EarlierDecisions;
  /** Counted from the creation of the run; null: no limit. */
  readonly retention_ms: number | null;
}
