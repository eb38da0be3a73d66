import type { Guard, GuardContext, GuardDeps } from '@svc/contracts';

export interface GuardConformanceOptions {
  /**
   * Creates a new instance with the options under test. The suite passes fake dependencies, because it checks what is logged, and calls `start` and
   * `close`. If the guard needs other dependencies, pass them to `create`.
   */
  guard: (deps: GuardDeps) => Guard | Promise<Guard>;
  /**
   * Texts that each trigger the guard, in every stage that the guard supports. Use sentences rather than words: the suite asserts that
   * they do not occur in codes, findings and logs. Empty for a guard that does not check text.
   */
  samples: readonly string[];
  /** Texts that the guard must allow. */
  clean?: readonly string[];
  /** The run's data, if the guard depends on it. The suite sets `state`, `stage` and `signal`. */
  context?: Partial<Omit<GuardContext, 'state' | 'stage' | 'signal'>>;
  /** Limit in milliseconds for 100,000 characters, whole or streamed, without waits for the processor. Default: 5000, as for a node. */
  time_limit_ms?: number;
}
