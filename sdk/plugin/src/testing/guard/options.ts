import type { Guard, GuardContext, GuardDeps } from '@svc/contracts';

export interface GuardConformanceOptions {
  /**
   * Creates a new instance with the options under test. The suite passes fake dependencies (it checks what is logged), and calls `start`
   * and `close`. Pass other dependencies to `create` if the guard needs them.
   */
  guard: (deps: GuardDeps) => Guard | Promise<Guard>;
  /**
   * Texts that trigger the guard, each alone and in every stage that it supports. Use sentences rather than words: the suite asserts that
   * they do not occur in codes, findings and logs. Empty for a guard that does not check text.
   */
  samples: readonly string[];
  /** Texts that it must allow. */
  clean?: readonly string[];
  /** The run's data, if it matters to the guard. `state`, `stage` and `signal` are set by the suite. */
  context?: Partial<Omit<GuardContext, 'state' | 'stage' | 'signal'>>;
  /** Milliseconds for 100,000 characters, whole or streamed; waiting for the processor does not count. Default 5000, as for a node's `timeout_ms`. */
  time_limit_ms?: number;
}
