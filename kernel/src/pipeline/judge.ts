import type { Clock } from '../contracts/index.ts';
import type { PipelineNode } from './route.ts';

/** How a guard failed: it threw, ran past its limit, or answered something that its contract does not allow. */
export type GuardFailure = 'threw' | 'timeout' | 'invalid';

export type Judgement<R> = (
  | { readonly ok: true; readonly result: R }
  | { readonly ok: false; readonly failure: GuardFailure }
) & {
  /** Whole milliseconds. */
  readonly duration_ms: number;
};

/**
 * Asks a guard and holds it to its time limit and contract. Never rejects. `abort` also ends the wait; the caller looks at the run.
 */
export async function judge<R>(
  node: PipelineNode,
  clock: Clock,
  abort: AbortSignal,
  ask: (signal: AbortSignal) => unknown,
  isValid: (answer: unknown) => answer is R,
): Promise<Judgement<R>> {
  const started = clock.monotonic();
  const limit = new AbortController();
  const took = (): number => clock.monotonic() - started;
  const judged = (answer: unknown): Judgement<R> => {
    const duration_ms = Math.round(took());
    // A guard that works without yielding cannot be stopped by a timer; it is judged by the time it took.
    if (took() > node.timeout_ms) return { ok: false, failure: 'timeout', duration_ms };
    return isValid(answer) ? { ok: true, result: answer, duration_ms } : { ok: false, failure: 'invalid', duration_ms };
  };
  try {
    // One signal for both reasons: a guard that is still working hears of either by the `limit.abort()` below.
    if (abort.aborted) limit.abort();
    const answer = ask(limit.signal);
    if (!(answer instanceof Promise) && !isThenable(answer)) return judged(answer);
    const raced = await withinLimit(Promise.resolve(answer), node.timeout_ms, abort);
    if (raced.done) return judged(raced.value);
    limit.abort();
    return { ok: false, failure: 'timeout', duration_ms: Math.round(took()) };
  } catch {
    return { ok: false, failure: 'threw', duration_ms: Math.round(took()) };
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Settles with the promise, or `done: false` when the time is over or the signal aborts. */
export function withinLimit<T>(
  promise: Promise<T>,
  timeout_ms: number,
  abort: AbortSignal,
): Promise<{ done: true; value: T } | { done: false }> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      stop();
      resolve({ done: false });
    };
    const timer = setTimeout(end, timeout_ms);
    const stop = (): void => {
      clearTimeout(timer);
      abort.removeEventListener('abort', end);
    };
    abort.addEventListener('abort', end, { once: true });
    if (abort.aborted) end();
    // The loser may still reject; nobody waits for it any more.
    promise.then(
      (value) => {
        stop();
        resolve({ done: true, value });
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
  });
}
