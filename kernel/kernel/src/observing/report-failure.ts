import type { NodeSettings } from '@svc/contracts';
import type { GuardFailureReason, GuardFailureReport } from './guard-failure.ts';
import type { Observer } from './observer.ts';
import { placeInPackage } from './place-in-package.ts';
import { NOTHING_THROWN, type Thrown } from './thrown.ts';

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
