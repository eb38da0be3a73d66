import { SvcError } from '@svc/contracts';

/** The error for new work while the gateway shuts down. */
export function stopping(): SvcError {
  return new SvcError('SVC-BUSY-002', 'the server is shutting down; send the request again', { retry_after_s: 5 });
}

/** The error for a run that was cancelled before its answer. */
export function cancellation(kind: 'disconnected' | 'interrupted'): SvcError {
  if (kind === 'disconnected') return new SvcError('SVC-BUSY-001', 'the caller disconnected');
  return new SvcError('SVC-BUSY-002', 'the server stopped before the run ended; send the request again', { retry_after_s: 5 });
}

/** The error for a request that would pause when too many runs are paused. */
export function tooManyPaused(): SvcError {
  return new SvcError('SVC-RATE-001', 'too many runs are waiting for approval; try again later', { retry_after_s: 60 });
}
