import { type CallEnv, type CallScope, GuardCall, type GuardFailure } from '../calls/guard-call.ts';
import type { PipelineNode } from './route.ts';

export type Judgement<R> = (
  | { readonly ok: true; readonly result: R }
  | { readonly ok: false; readonly failure: GuardFailure }
) & {
  readonly duration_ms: number;
};

/**
 * Asks a guard and holds it to its time limit and contract. Never rejects. `abort` also ends the wait; the caller looks at the run.
 */
export async function judge<R>(
  node: PipelineNode,
  env: CallEnv,
  abort: AbortSignal,
  ask: (scope: CallScope) => unknown,
  isValid: (answer: unknown) => answer is R,
): Promise<Judgement<R>> {
  const limit = new AbortController();
  // One signal for both reasons, since AbortSignal.any keeps weak references that every garbage collection must visit: a guard that is
  // still working when the run is given up is given up too.
  if (abort.aborted) limit.abort();
  return await holdToContract(
    node,
    env,
    abort,
    (call) => ask(call.scope(limit.signal)),
    isValid,
    () => limit.abort(),
  );
}

/** As {@link judge}, at once where the guard answers at once. `giveUp` is called when its time is over. */
export function holdToContract<R>(
  node: PipelineNode,
  env: CallEnv,
  abort: AbortSignal,
  ask: (call: GuardCall) => unknown,
  isValid: (answer: unknown) => answer is R,
  giveUp: () => void,
): Judgement<R> | Promise<Judgement<R>> {
  const { clock } = env;
  const started = clock.monotonic();
  const call = new GuardCall(node.guard, node.timeout_ms, env);
  const failed = (failure: GuardFailure): Judgement<R> => {
    call.end();
    // What a task of it failed of is the reason for what the guard did then.
    return { ok: false, failure: call.failure ?? failure, duration_ms: clock.monotonic() - started };
  };
  const judged = (answer: unknown): Judgement<R> => {
    // A guard that works without yielding cannot be stopped by a timer; it is judged by the time it took.
    if (call.failure !== null || call.budget.isSpent) return failed('timeout');
    if (!isValid(answer)) return failed('invalid');
    call.end();
    return { ok: true, result: answer, duration_ms: clock.monotonic() - started };
  };
  const later = async (answer: PromiseLike<unknown>): Promise<Judgement<R>> => {
    try {
      const raced = await call.budget.race(Promise.resolve(answer), abort);
      if (raced.done) return judged(raced.value);
      const judgement = failed('timeout');
      giveUp();
      return judgement;
    } catch {
      return failed('threw');
    }
  };
  try {
    const answer = ask(call);
    return isThenable(answer) ? later(answer) : judged(answer);
  } catch {
    return failed('threw');
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
