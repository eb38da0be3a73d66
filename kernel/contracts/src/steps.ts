import type { Turns } from './turns.ts';

/** Work that can be interrupted wherever it yields. Its result is the same in a thread and on the event loop. */
export type Steps<R> = Generator<unknown, R>;

/** Runs the work without interruption. Use it only in a thread that serves nothing else. */
export function finished<R>(steps: Steps<R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs the work synchronously for at most one turn. Returns null if the turn ends first; the caller then continues with the same steps. */
export function inOneTurn<R>(steps: Steps<R>, turns: Turns): { readonly value: R } | null {
  for (;;) {
    const step = steps.next();
    if (step.done) return { value: step.value };
    if (turns.isOver) return null;
  }
}

/** As {@link inTurns}, but synchronous if one turn is enough. */
export function soon<R>(steps: Steps<R>, turns: Turns): R | Promise<R> {
  const done = inOneTurn(steps, turns);
  return done === null ? turns.next().then(() => inTurns(steps, turns)) : done.value;
}

/** Runs the work on the event loop, in turns. */
export async function inTurns<R>(steps: Steps<R>, turns: Turns): Promise<R> {
  for (;;) {
    const done = inOneTurn(steps, turns);
    if (done !== null) return done.value;
    await turns.next();
  }
}

/** As {@link inTurns}, but resolves to null if the work needs more turns than `most`. */
export async function inFewTurns<R>(steps: Steps<R>, turns: Turns, most: number): Promise<{ readonly value: R } | null> {
  for (let turn = 1; ; turn += 1) {
    const done = inOneTurn(steps, turns);
    if (done !== null || turn === most) return done;
    await turns.next();
  }
}
