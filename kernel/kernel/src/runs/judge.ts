import { isThenable } from '@svc/contracts';
import { type CallEnv, type CalledNode, GuardCall, type GuardFailure } from '../calls/guard-call.ts';

export type Judgement<R> = (
  | { readonly ok: true; readonly result: R }
  | { readonly ok: false; readonly failure: GuardFailure }
) & {
  readonly duration_ms: number;
};

/**
 * Calls a guard and enforces its time limit and contract. Synchronous if the guard answers synchronously. Never throws or rejects. `abort` also ends
 * the wait; the caller must then check why the run was aborted. `giveUp` is called when an asynchronous guard exceeds its time limit.
 */
export function judge<R>(
  node: CalledNode,
  env: CallEnv,
  abort: AbortSignal,
  ask: (call: GuardCall) => unknown,
  isValid: (answer: unknown) => answer is R,
  giveUp?: () => void,
): Judgement<R> | Promise<Judgement<R>> {
  const call = new GuardCall(node, env, abort);
  try {
    const answer = ask(call);
    return isThenable(answer) ? judgeLater(answer, call, isValid, giveUp) : judged(answer, call, isValid);
  } catch (error) {
    return failed('threw', call, error);
  }
}

async function judgeLater<R>(
  answer: PromiseLike<unknown>,
  call: GuardCall,
  isValid: (answer: unknown) => answer is R,
  giveUp?: () => void,
): Promise<Judgement<R>> {
  try {
    const raced = await call.race(Promise.resolve(answer));
    if (raced.done) return judged(raced.value, call, isValid);
    const judgement = failed<R>('timeout', call);
    giveUp?.();
    return judgement;
  } catch (error) {
    return failed('threw', call, error);
  }
}

function judged<R>(answer: unknown, call: GuardCall, isValid: (answer: unknown) => answer is R): Judgement<R> {
  call.end();
  // A timer cannot interrupt a guard that never yields, so the elapsed time is checked afterwards.
  if (call.isTaskFailed || call.isLate) return failed('timeout', call);
  return isValid(answer) ? { ok: true, result: answer, duration_ms: call.duration_ms } : failed('invalid', call);
}

function failed<R>(failure: GuardFailure, call: GuardCall, thrown?: unknown): Judgement<R> {
  return { ok: false, failure: call.fail(failure, thrown), duration_ms: call.duration_ms };
}
