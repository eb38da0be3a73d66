import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@svc/sdk/plugin';

const SLICE_MS = 20;

/**
 * Shares the event loop: one search is linear, but a pattern like `(?s)a(?:.*b)?` makes many long ones, and only a guard that yields
 * can be stopped at its time limit.
 */
export interface Turns {
  over(): boolean;
  /** Lets others run. Rejects when the check was given up. */
  next(): Promise<void>;
}

export function turns(clock: Clock, signal: AbortSignal): Turns {
  let began = clock.monotonic();
  return {
    over: () => clock.monotonic() - began >= SLICE_MS,
    async next() {
      await setImmediate();
      signal.throwIfAborted();
      began = clock.monotonic();
    },
  };
}
