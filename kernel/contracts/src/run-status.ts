export const RUN_STATUSES = ['pending', 'running', 'paused', 'completed', 'blocked', 'denied', 'error'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
/** Statuses that a run never leaves. */
export type EndedStatus = Extract<RunStatus, 'completed' | 'blocked' | 'denied' | 'error'>;
