import type { RunOutcome } from './outcome.ts';
import { hasEnded } from './states.ts';

/** How often the store is asked for a decision that another process took. */
const LOOK_EVERY_MS = 1_000;

/** Where callers on the line wait for a decision on their paused run. */
export class DecisionDesk {
  readonly #look: (run_id: string) => Promise<RunOutcome>;
  readonly #waiting = new Map<string, (outcome: RunOutcome) => void>();
  readonly #closing = new AbortController();

  /** @param look how far a run got, as the store has it */
  constructor(look: (run_id: string) => Promise<RunOutcome>) {
    this.#look = look;
  }

  /** Resolves to how the run ended, or to the pause itself when the time is over, the caller is gone or the desk closes. */
  async wait(paused: RunOutcome, wait_ms: number, gone: AbortSignal | undefined): Promise<RunOutcome> {
    const { run_id } = paused.row;
    const over = AbortSignal.any([AbortSignal.timeout(wait_ms), this.#closing.signal, ...(gone === undefined ? [] : [gone])]);
    const looking = setInterval(() => void this.#lookAt(run_id), LOOK_EVERY_MS);
    try {
      return await new Promise((resolve) => {
        this.#waiting.set(run_id, resolve);
        over.addEventListener('abort', () => resolve(paused), { once: true });
        if (over.aborted) resolve(paused);
      });
    } finally {
      clearInterval(looking);
      this.#waiting.delete(run_id);
    }
  }

  /** Tells whoever waits how far a run got. A run that pauses again is waited for on. */
  tell(outcome: RunOutcome): void {
    if (hasEnded(outcome.row.status)) this.#waiting.get(outcome.row.run_id)?.(outcome);
  }

  /** Nobody waits any more. */
  close(): void {
    this.#closing.abort();
  }

  async #lookAt(run_id: string): Promise<void> {
    try {
      this.tell(await this.#look(run_id));
    } catch {
      // The store is away; it is asked again.
    }
  }
}
