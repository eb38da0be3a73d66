import { type Endpoint, type Stage, SvcError } from '@svc/contracts';
import { OperatorStop } from '../calls/operator-stop.ts';
import type { Stop } from './outcome.ts';
import type { JudgedNode } from './verdict-event.ts';

/** Why a run was cancelled from outside. */
export type Cancelled = { readonly kind: 'disconnected' | 'interrupted' } | OperatorStop;

/**
 * Why a pipeline stopped early. `next`: index in the stage of the node to ask first when the run continues. `endpoint`: the endpoint that an approval
 * is for; absent: the first.
 */
export type RunStop =
  | (Stop & { readonly kind: 'blocked'; readonly stage: Stage | 'execute' })
  | (Stop & { readonly kind: 'paused'; readonly stage: Stage | 'execute'; readonly next: number; readonly endpoint?: Endpoint })
  | { readonly kind: 'failed'; readonly error: SvcError; readonly stage: Stage | 'execute' }
  | Cancelled;

export function stopOnAbort({ abort }: { readonly abort: Pick<AbortController, 'signal'> }): Cancelled | null {
  const { aborted, reason } = abort.signal;
  if (!aborted) return null;
  return reason instanceof OperatorStop ? reason : { kind: reason === 'disconnected' ? 'disconnected' : 'interrupted' };
}

export function isCancelled(stop: RunStop | null): stop is Cancelled {
  return stop?.kind === 'disconnected' || stop?.kind === 'interrupted' || stop?.kind === 'stopped';
}

/**
 * The effect of a verdict on a run. `approved(node)`: whether an approver approved the current payload for this node. If no thread was free for a
 * guard and no model was called yet, the caller gets an error and may retry.
 */
export function stopOnVerdict(
  { verdict, code, hint, failure }: JudgedNode,
  { stage, node, next }: { readonly stage: Stage | 'execute'; readonly node: string; readonly next: number },
  approved: (node: string) => boolean,
): RunStop | null {
  if (failure === 'busy' && stage !== 'egress') return noThread(stage);
  switch (verdict) {
    case 'allow':
    case 'sanitize':
      return null;
    case 'block':
      return { kind: 'blocked', stage, node, code, hint };
    case 'require_approval':
      return approved(node) ? null : { kind: 'paused', stage, node, next, code, hint };
  }
}

export function noThread(stage: Stage | 'execute'): RunStop {
  const error = new SvcError('SVC-BUSY-001', 'too many requests are waiting for guards; try again later', { retry_after_s: 5 });
  return { kind: 'failed', stage, error };
}
