import { type Stage, SvcError } from '@svc/contracts';
import { usesWorkers } from '../calls/guard-call.ts';
import type { GuardWorkers } from '../workers/guard-workers.ts';
import type { Halt, PipelineRun } from './pipeline-run.ts';
import type { JudgedNode } from './verdict-event.ts';

const RETRY_AFTER_S = 5;

/** Where a guard had no thread for its work before the model is called, nobody has judged anything: the caller may come again. */
export function turnedAway({ failure }: JudgedNode, stage: Stage | 'execute'): Halt | null {
  return failure === 'busy' && stage !== 'egress' ? { kind: 'failed', stage, error: noThread() } : null;
}

/** No model is called whose answer would find no thread for its guards. */
export function holdBack(run: PipelineRun, workers: GuardWorkers): Halt | null {
  if (run.admitted || !workers.isFull) return null;
  const needsThreads = run.route.egress.some(({ guard }) => usesWorkers(guard));
  return needsThreads ? { kind: 'failed', stage: 'execute', error: noThread() } : null;
}

function noThread(): SvcError {
  return new SvcError('SVC-BUSY-001', 'too much is waiting for the guards; try again later', { retry_after_s: RETRY_AFTER_S });
}
