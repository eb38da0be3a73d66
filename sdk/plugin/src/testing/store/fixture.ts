import type { ChildProcess } from 'node:child_process';
import type { Clock, Store } from '@svc/contracts';
import type { FakeClock } from '../fakes/clock.ts';

/** A store under test. */
export interface StoreFixture {
  /** Opened, with nothing in it that another fixture wrote. */
  readonly store: Store;
  /** Closes the store and opens it again on the same data: the same instance or a new one, which is used from then on. */
  reopen(): Promise<Store>;
  /** Closes the store and removes its data. Called once, whatever happened before. */
  dispose(): Promise<void>;
}

/** What a process does until it is killed, see `workUntilKilled`. */
export type CrashWork = 'commit' | 'load';

export interface StoreConformanceOptions<F extends StoreFixture = StoreFixture> {
  /** Put before the name of every case. */
  readonly name?: string;
  /** Called once a case, or more often. The store must take its time from this clock (`deps.clock` of the plugin's `create`): the cases set it forward. */
  open(clock: Clock): Promise<F>;
  /** Opens one more store over the data of a fixture. Absent where a store has its data for itself: the cases of replicas are left out. */
  another?(fixture: F, clock: Clock): Promise<Store>;
  /**
   * Starts a process that opens a store over the data of a fixture (whose own store is closed meanwhile) and calls `workUntilKilled`; its
   * stdout is a pipe. Absent: the cases of crashes are left out.
   */
  start?(fixture: F, work: CrashWork): ChildProcess;
}

export interface StoreContext {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly reopen: () => Promise<Store>;
  /** A second store over data of its own. */
  readonly empty: () => Promise<StoreFixture>;
}

export interface ReplicaContext extends StoreContext {
  /** One more store over the same data. */
  readonly another: () => Promise<Store>;
}

export interface CrashContext extends StoreContext {
  /** Closes the store and starts a process over its data. */
  readonly start: (work: CrashWork) => Promise<ChildProcess>;
}

/** Cases of one area by their name. */
export type StoreCases<C = StoreContext> = Readonly<Record<string, (context: C) => Promise<void>>>;
