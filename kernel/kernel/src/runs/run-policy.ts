import type { OperatorStop } from '../calls/operator-stop.ts';
import type { LiveRun } from './live-run.ts';
import type { PipelineRun } from './pipeline-run.ts';
import type { PipelineNode } from './route.ts';
import type { RunStop } from './run-stop.ts';

/** Port: what operators have stopped or restricted. */
export interface RunPolicy {
  /** `seq` of the operation that disabled this guard. Null: the guard is enabled. */
  guardStop(node: Pick<PipelineNode, 'name' | 'required'>): number | null;
  /** Why the provider must not be called. Null: it may be called. */
  providerStop(provider: string): OperatorStop | null;
  /** Whether a person must approve before the first model call. `resumed`: the run continues after a pause at that point. */
  asksApproval(run: Pick<PipelineRun, 'route' | 'events'>, resumed: boolean): boolean;
  /** @throws {SvcError} SVC-OPS-001, SVC-OPS-002 unless the accepted run may continue */
  assertMayContinue(run: Pick<PipelineRun, 'route' | 'principal_id' | 'calling'>): void;
}

/** Port: which runs may pause, and which decisions apply to more than one run. */
export interface PausePolicy {
  /** Identifies the question for the approver. Runs that would pause for the same decision have the same key. */
  keyOf(run: LiveRun, stop: PausedStop): string;
  /**
   * The decision on an earlier run that also applies to this one. The store marks it as used, and this run's events name it. Null: an approver must
   * decide, because there is no such decision or the store cannot be read.
   */
  earlierDecision(run: LiveRun, stop: PausedStop): Promise<EarlierDecision | null>;
  /** Writes a pause if one more paused run is allowed. Returns null if not. @throws {SvcError} SVC-STORE-001 */
  pause<T>(run: Pick<LiveRun, 'principal_id' | 'claim'>, write: () => Promise<T>): Promise<T | null>;
}

/** `reason`: why it was denied, if the approver said so. */
export interface EarlierDecision {
  readonly decision: 'approved' | 'denied';
  readonly reason?: string | undefined;
}

export type PausedStop = Extract<RunStop, { kind: 'paused' }>;
