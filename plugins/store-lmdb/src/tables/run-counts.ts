import type { RunStatus } from '@svc/sdk';

export type RunCounts = Partial<Record<RunStatus, number>>;

/** Every status with its number; null: none is kept. */
export function allCounts(kept: RunCounts | null): Record<RunStatus, number> {
  return { pending: 0, running: 0, paused: 0, completed: 0, blocked: 0, denied: 0, error: 0, ...kept };
}
