import type { RunEvent } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';

/**
 * The events for the caller of a run. The verdict that stopped the run includes the guard's hint, which is shown only to the caller and never stored.
 */
export function reportedEvents({ events, stop }: Pick<RunOutcome, 'events' | 'stop'>): RunEvent[] {
  if (stop?.hint === undefined) return [...events];
  const { text, retry_at } = stop.hint;
  const hint = retry_at === undefined ? { text } : { text, retry_at };
  const last = events.findLastIndex(
    ({ event_type, stage, node }) => event_type === 'verdict' && stage === stop.stage && node === stop.node,
  );
  return events.map((event, index) =>
    index === last && event.event_type === 'verdict' ? { ...event, data: { ...event.data, hint } } : event,
  );
}
