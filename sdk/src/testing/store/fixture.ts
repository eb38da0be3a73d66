import type { Clock, Store } from '@svc/kernel/contracts';
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

export interface StoreConformanceOptions {
  /** Put before the name of every case. */
  readonly name?: string;
  /** Called once a case. The store must take its time from this clock (`deps.clock` of the plugin's `create`): the cases set it forward. */
  open(clock: Clock): Promise<StoreFixture>;
}

export interface StoreContext {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly reopen: () => Promise<Store>;
}

/** Cases of one area by their name. */
export type StoreCases = Readonly<Record<string, (context: StoreContext) => Promise<void>>>;
