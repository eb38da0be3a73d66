import type { RunRow } from '@svc/contracts';
import type { Occurrence } from './notice.ts';

/** What people want to know about a run with a new status; null: nothing. */
export function runOccurrence({
  run_id,
  route,
  status,
  events,
  approver,
}: Pick<RunRow, 'run_id' | 'route' | 'status' | 'events' | 'approver'>): Occurrence | null {
  const [before, last] = events.slice(-2);
  const common = { route, amount: null, run_id };
  if (status === 'paused' && last?.event_type === 'paused')
    return { ...common, event: 'paused', name: last.node, code: last.data.code ?? null };
  const isResumed = last?.event_type === 'state' && last.data.from === 'paused';
  if (!isResumed || before === undefined) return null;
  const { event_type, node } = before;
  if (event_type === 'decision') return { ...common, event: 'decision', name: node, code: approver?.decision ?? null };
  return event_type === 'expired' ? { ...common, event: 'expired', name: node, code: null } : null;
}
