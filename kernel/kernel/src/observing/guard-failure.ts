import type { NodeSettings, Stage } from '@svc/contracts';
import type { Observer } from './observer.ts';
import { placeInPackage } from './place-in-package.ts';
import { NOTHING_THROWN, type Thrown } from './thrown.ts';

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

/** The fields of a report that describe the guard. */
export interface FailedGuard extends Pick<NodeSettings, 'on_error' | 'mode'> {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Real path of the guard's package folder. Absent if not known. */
  readonly directory?: string;
}

/** The fields of a report that describe the call. */
export interface FailureScope extends Pick<GuardFailureReport, 'run_id' | 'route' | 'stage'> {
  readonly observer: Pick<Observer, 'guardFailed'>;
}

/** Reports to the observer that a guard failed. Has no effect on the run. */
export function reportFailure(
  { name, package: from, version, on_error, mode, directory }: FailedGuard,
  { run_id, route, stage, observer }: FailureScope,
  reason: GuardFailureReason,
  { error_class, places }: Thrown = NOTHING_THROWN,
): void {
  const at = directory === undefined ? null : placeInPackage(directory, places);
  const observed = mode === 'observe';
  observer.guardFailed({ node: name, package: from, version, run_id, route, stage, reason, on_error, observed, error_class, at });
}
