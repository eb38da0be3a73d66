import type { OperatorStop } from '../calls/operator-stop.ts';
import type { LiveRun } from './live-run.ts';
import type { PipelineRun } from './pipeline-run.ts';
import type { PipelineNode } from './route.ts';
import type { RunStop } from './run-stop.ts';

/** Port: what operators have stopped or restricted. */
export interface RunPolicy {
  /** `seq` of the operation that disabled this guard; null: the guard is asked. */
  guardStop(node: Pick<PipelineNode, 'name' | 'required'>): number | null;
  /** Null: the provider may be called. */
  providerStop(provider: string): OperatorStop | null;
  /** Whether an approver must be asked before the first call of a model. `resumed`: the run continues after a pause at that point. */
  asksApproval(run: Pick<PipelineRun, 'route' | 'events'>, resumed: boolean): boolean;
  /** @throws {SvcError} SVC-OPS-001, SVC-OPS-002 unless an accepted run may continue */
  assertGoesOn(run: Pick<PipelineRun, 'route' | 'principal_id' | 'calling'>): void;
}

/** Port: which runs may pause, and which decisions apply to more than one run. */
export interface PausePolicy {
  /** What an approver is asked, as a key: the same for every run that asks the same. */
  keyOf(run: LiveRun, stop: PausedStop): string;
  /**
   * The decision on an earlier run that also applies to this one. It is used up on disk, and the run's events name it. Null: a person is asked, also
   * if the store cannot be read.
   */
  earlierDecision(run: LiveRun, stop: PausedStop): Promise<'approved' | 'denied' | null>;
  /** Writes a pause if one more paused run is allowed; null otherwise. @throws {SvcError} SVC-STORE-001 */
  pause<T>(run: Pick<LiveRun, 'principal_id' | 'claim'>, write: () => Promise<T>): Promise<T | null>;
}

/** A stop that waits for a decision. */
export type PausedStop = Extract<RunStop, { kind: 'paused' }>;
