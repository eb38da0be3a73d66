import type { ChildProcess } from 'node:child_process';
import type { Clock, Store } from '@svc/contracts';
import type { FakeClock } from '../fakes/clock.ts';

/** A store under test. */
export interface StoreFixture {
  /** The open store, which has no data of other fixtures. */
  readonly store: Store;
  /** Closes the store and opens it again with the same data. The result, which may be a new instance, is used from then on. */
  reopen(): Promise<Store>;
  /** Closes the store and removes its data. Called once, whatever happened before. */
  dispose(): Promise<void>;
}

/** The work of a process until it is killed, see `workUntilKilled`. */
export type CrashWork = 'commit' | 'load';

export interface StoreConformanceOptions<F extends StoreFixture = StoreFixture> {
  /** Prefix for the name of every case. */
  readonly name?: string;
  /** Called once or more per case. The store must use this clock (`deps.clock` of the plugin's `create`), because the cases set it forward. */
  open(clock: Clock): Promise<F>;
  /** Opens one more store with the data of a fixture. Omit this for an exclusive store: the cases of replicas are then skipped. */
  another?(fixture: F, clock: Clock): Promise<Store>;
  /**
   * Starts a process that opens a store with the data of a fixture and calls `workUntilKilled`. The fixture's own store is closed meanwhile. The
   * stdout of the process must be a pipe. Without this function, the crash cases are skipped.
   */
  start?(fixture: F, work: CrashWork): ChildProcess;
  /** Kills in each crash case. Default: 6. */
  readonly crash_rounds?: number;
}

export interface StoreContext {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly reopen: () => Promise<Store>;
  /** Opens a second store with its own data. */
  readonly empty: () => Promise<StoreFixture>;
}

export interface ReplicaContext extends StoreContext {
  /** Opens one more store with the same data. */
  readonly another: () => Promise<Store>;
}

export interface CrashContext extends StoreContext {
  /** Closes the store, and starts a process with its data. */
  readonly start: (work: CrashWork) => Promise<ChildProcess>;
  /** Kills in a case. */
  readonly rounds: number;
}

/** Cases of one area, by name. */
export type StoreCases<C = StoreContext> = Readonly<Record<string, (context: C) => Promise<void>>>;
