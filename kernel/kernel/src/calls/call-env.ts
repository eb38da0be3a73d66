import type { Stage } from '@svc/contracts';
import type { CallEnv } from './guard-call.ts';

/** What the limits of a guard's call depend on. */
interface CallingRun {
  readonly run_id: string;
  readonly principal_id: string;
  readonly route: { readonly name: string };
  readonly admitted: boolean;
}

/** The limits of a guard's call in this run. After a billed model call, the guard's call is not refused for lack of threads. */
export function callEnv(
  { run_id, principal_id, route, admitted }: CallingRun,
  stage: Stage | 'execute',
  { clock, workers, observer }: Pick<CallEnv, 'clock' | 'workers' | 'observer'>,
): CallEnv {
  return { clock, workers, observer, run_id, route: route.name, stage, principal_id, admitted: admitted || stage === 'egress' };
}
