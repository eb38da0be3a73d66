import type { PausePolicy } from '@svc/kernel/ports';
import type { PauseLimits } from './pause-limits.ts';
import { askedKey, earlierDecision, type RepeatsEnv } from './repeated-request.ts';

/** Limits the number of paused runs, and applies earlier decisions to repeated requests. */
export function pausePolicy(env: RepeatsEnv & { readonly limits: PauseLimits }): PausePolicy {
  return {
    keyOf: (run, stop) => askedKey(run, stop, env),
    earlierDecision: (run, stop) => earlierDecision(run, stop, env),
    pause: ({ principal_id, claim }, write) => env.limits.pause(principal_id, write, claim ?? undefined),
  };
}
