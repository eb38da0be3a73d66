import type { Logger } from '@svc/contracts';
import type { GuardFailureReport } from '@svc/kernel/observing';

/** A node that fails repeatedly for the same reason is logged once within this time. */
const EVERY_MS = 1_000;

interface Repeated {
  readonly latest: GuardFailureReport;
  /** Number of failures since the last line that were not logged. */
  readonly suppressed: number;
}

/** Logs failures of guards. Repeated failures get one line a second, with the number of those that were not logged. */
export class GuardFailureLog {
  readonly #logger: Logger;
  /** Failures logged in the last second, by node and reason. Null: no further failures since then. */
  readonly #recent = new Map<string, Repeated | null>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  guardFailed(failure: GuardFailureReport): void {
    const key = `${failure.node} ${failure.reason}`;
    const repeated = this.#recent.get(key);
    if (repeated === undefined) this.#write(key, failure, 0);
    else this.#recent.set(key, { latest: failure, suppressed: repeated === null ? 0 : repeated.suppressed + 1 });
  }

  #write(key: string, failure: GuardFailureReport, suppressed: number): void {
    this.#recent.set(key, null);
    setTimeout(() => this.#look(key), EVERY_MS).unref();
    const { on_error, observed, stage } = failure;
    const stops = on_error !== 'allow' && !observed && stage !== 'settle';
    this.#logger[stops ? 'error' : 'warn']({ event: 'guard_failed', ...failure, suppressed });
  }

  #look(key: string): void {
    const repeated = this.#recent.get(key) ?? null;
    if (repeated === null) this.#recent.delete(key);
    else this.#write(key, repeated.latest, repeated.suppressed);
  }
}
