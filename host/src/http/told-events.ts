import type { RunEvent } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';

/**
 * The events as the caller of a run is told them: beside the verdict that stopped it stands the guard's hint, which is the caller's alone and
 * stored nowhere.
 */
export function toldEvents({ events, stop }: Pick<RunOutcome, 'events' | 'stop'>): RunEvent[] {
  const hint = stop?.hint;
  if (hint === undefined) return [...events];
  const last = events.findLastIndex(
    ({ event_type, stage, node }) => event_type === 'verdict' && stage === stop?.stage && node === stop.node,
  );
  const { text, retry_at } = hint;
  const told = retry_at === undefined ? { text } : { text, retry_at };
  return events.map((event, index) =>
    index === last && event.event_type === 'verdict' ? { ...event, data: { ...event.data, hint: told } } : event,
  );
}
