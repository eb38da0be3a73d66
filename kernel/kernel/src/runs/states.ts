import type { EndedStatus, RunStatus } from '@svc/contracts';

/** The statuses that may follow each status. A run is created as `pending` or `running`. */
const MOVES: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  pending: ['running'],
  running: ['completed', 'blocked', 'paused', 'denied', 'error'],
  paused: ['running'],
  completed: [],
  blocked: [],
  denied: [],
  error: [],
};

export function canMove(from: RunStatus, to: RunStatus): boolean {
  return MOVES[from].includes(to);
}

export function hasEnded(status: RunStatus): status is EndedStatus {
  return MOVES[status].length === 0;
}
