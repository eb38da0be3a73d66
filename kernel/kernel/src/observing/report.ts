import type { Clock, RunRow } from '@svc/contracts';
import type { Observer, RunReport } from './observer.ts';
import type { Timeline } from './timeline.ts';

interface Reported {
  readonly row: RunRow;
  readonly route: { readonly name: string };
  /** How the answer reaches the caller. Null: it is returned whole. */
  readonly transport: object | null;
  readonly traceparent: string | null;
  readonly timeline: Timeline;
}

/** Notifies the observer that the run has ended or paused. The change must be on disk. */
export function report(
  { timeline, traceparent, row, route, transport }: Reported,
  micro_usd: RunReport['micro_usd'],
  { observer, clock }: { readonly observer: Observer; readonly clock: Clock },
): void {
  const { run_id, status, principal_id, team = null, key_id = null, session = null, client = null, user = null } = row;
  const caller = { principal_id, team, key_id, session, client, user };
  const common = { run_id, route: route.name, caller, status, micro_usd, traceparent };
  observer.settled({ ...common, streamed: transport !== null, ...timeline.report(clock.monotonic()) });
}
