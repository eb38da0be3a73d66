import type { NodeSettings, Stage } from '@svc/contracts';

/**
 * Why a guard gave no verdict. `thread_ended`: its thread died while it worked on the guard's task; `not_loaded`: the module of the task could not be
 * loaded; `busy`: no thread was free for the task.
 */
export type GuardFailureReason = 'threw' | 'timed_out' | 'invalid_result' | 'thread_ended' | 'not_loaded' | 'busy';

/** One failure of a guard. Holds names, codes and numbers only. */
export interface GuardFailureReport {
  readonly node: string;
  readonly package: string;
  readonly version: string;
  /** Null: the call belonged to no run. */
  readonly run_id: string | null;
  readonly route: string;
  /** `execute`: the guard was asked about an endpoint; `settle`: it was asked what to charge for an ended run. */
  readonly stage: Stage | 'execute' | 'settle';
  readonly reason: GuardFailureReason;
  readonly on_error: NodeSettings['on_error'];
  /** Whether the node only observes. */
  readonly observed: boolean;
  /** Class name of the thrown value. Null if nothing was thrown, or the value has no plain class name. */
  readonly error_class: string | null;
  /** Where in the guard's package it was thrown, as `file:line:column`. Null if not known. */
  readonly at: string | null;
}
