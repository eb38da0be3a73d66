import type { RunRow } from '@svc/contracts';
import { type Occurrence, occurrence } from './notice.ts';

/** What to report about a run with a new status, or a new event while it is paused. Null: nothing. */
export function runOccurrence({
  run_id,
  route,
  status,
  events,
  approver,
}: Pick<RunRow, 'run_id' | 'route' | 'status' | 'events' | 'approver'>): Occurrence | null {
  const [before, last] = events.slice(-2);
  if (status === 'paused' && last?.event_type === 'escalated') {
    const code = events.findLast(({ event_type }) => event_type === 'paused')?.data.code ?? null;
    return occurrence('escalated', { route, name: last.node, code, run_id });
  }
  if (status === 'paused' && last?.event_type === 'paused')
    return occurrence('paused', { route, name: last.node, code: last.data.code ?? null, run_id });
  const isResumed = last?.event_type === 'state' && last.data.from === 'paused';
  const decided = isResumed ? before : undefined;
  const about = { route, name: decided?.node ?? null, run_id };
  if (decided?.event_type === 'decision') return occurrence('decision', { ...about, code: approver?.decision ?? null });
  return decided?.event_type === 'expired' ? occurrence('expired', about) : null;
}
