import { errorName, type RunRow, runEvent } from '@svc/contracts';
import { storedAs } from '@svc/kernel';
import { escalationOf } from '../../pauses/approver.ts';
import type { GatewayEnv } from './gateway-env.ts';

/**
 * Records once that further approvers may decide on a paused run: if several processes try, the store accepts one write. The right of these approvers comes
 * from the time in the event `paused`, not from this record.
 * @param now by the store's clock
 */
export async function escalate(row: RunRow, now: number, env: GatewayEnv): Promise<void> {
  const at = row.events.findLastIndex(({ event_type }) => event_type === 'paused');
  const paused = row.events[at];
  const escalation = escalationOf(row.events);
  const isRecorded = row.events.slice(at).some(({ event_type }) => event_type === 'escalated');
  if (paused === undefined || escalation === undefined || isRecorded || Date.parse(escalation.at) > now) return;
  const { run_id, route } = row;
  const event = runEvent('escalated', 'approval', paused.node, { ...escalation, digest: paused.data.digest ?? '' });
  const run = { ...row, events: [...row.events, event], version: row.version + 1 };
  const change = { run, expect: storedAs(row).row, put_content: [], drop_content: [], settlements: [] };
  try {
    const { result } = await env.writer.commit(change, null);
    if (result !== 'committed') return;
    env.logger.warn({ event: 'run_escalated', run_id, route, ...escalation });
    env.observer.escalated(run);
  } catch (error) {
    env.logger.warn({ event: 'escalation_failed', run_id, reason: errorName(error) });
  }
}
