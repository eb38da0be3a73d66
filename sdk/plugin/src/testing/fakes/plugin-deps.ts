import type { GuardDeps } from '@svc/contracts';
import { type FakeClock, fakeClock } from './clock.ts';
import { type FakeCounters, fakeCounters } from './counters.ts';
import { type FakeLogger, fakeLogger } from './logger.ts';

/** The dependencies that a plugin of any kind needs in `create`, without a gateway. */
export interface FakePluginDeps extends GuardDeps {
  readonly logger: FakeLogger;
  readonly clock: FakeClock;
  readonly counters: FakeCounters;
}

/**
 * Dependencies for a plugin under test. Nothing leaves the process: `fetch` rejects until a test passes its own, and a namespace is empty.
 * `directory` is the working directory.
 */
export function fakePluginDeps(): FakePluginDeps;
export function fakePluginDeps<O extends Partial<GuardDeps>>(overrides: O): Omit<FakePluginDeps, keyof O> & O;
export function fakePluginDeps(overrides: Partial<GuardDeps> = {}): GuardDeps {
  return {
    name: 'test',
    directory: process.cwd(),
    logger: fakeLogger(),
    clock: fakeClock(),
    counters: fakeCounters(),
    openNamespace: () => ({ retrieve: async () => [] }),
    fetch: () => Promise.reject(new Error('this test has no network: pass fetch to fakePluginDeps')),
    ...overrides,
  };
}
