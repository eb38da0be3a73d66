import type { Guard, GuardContext, GuardDeps } from '@svc/contracts';

export interface GuardConformanceOptions {
  /**
   * Makes a fresh instance with the options under test. The suite gives fake dependencies (its logger is looked at), calls `start`
   * and `close`. Pass other dependencies to `create` where the guard needs them.
   */
  guard: (deps: GuardDeps) => Guard | Promise<Guard>;
  /**
   * Texts that trigger it, each alone and in every stage that it offers. Sentences rather than words: the suite asserts that they
   * stand nowhere in codes, findings and logs. Empty for a guard that does not look at text.
   */
  samples: readonly string[];
  /** Texts that it must let pass. */
  clean?: readonly string[];
  /** What the guard may know of the run, where it matters to it. `state`, `stage` and `signal` are the suite's. */
  context?: Partial<Omit<GuardContext, 'state' | 'stage' | 'signal'>>;
  /** Milliseconds for 100,000 characters, whole or streamed; waiting for the processor does not count. Default 5000, as a node's `timeout_ms`. */
  time_limit_ms?: number;
}
