import { isSvcError, type RunEvent, type RunRow } from '@svc/contracts';
import { type LiveRun, openPaused, unreadableRun } from '@svc/kernel';
import type { OpenedPause } from '@svc/kernel/ports';
import { CHAT } from '@svc/protocols';
import type { GatewayEnv } from './gateway-env.ts';
import { routeOrTombstone } from './tombstone.ts';

type Pause = Pick<OpenedPause, 'stage' | 'node' | 'code' | 'digest'>;

/**
 * Opens a `pending` or `paused` run so that it can end. If its content can be read, the run has the state that the guards need to settle it.
 * @throws {SvcError} SVC-STORE-001
 */
export async function openWaiting(row: RunRow, env: GatewayEnv): Promise<{ run: LiveRun; pause: Pause }> {
  const route = routeOrTombstone(row.route, env);
  const pause = pauseOf(row.events);
  if (row.status === 'paused') {
    try {
      return { run: (await openPaused(row, route, env)).run, pause };
    } catch (error) {
      if (!isSvcError(error) || error.code === 'SVC-STORE-001') throw error;
    }
  }
  // Without the content of a paused run, the cost of its earlier calls is not known.
  const cost = row.status === 'pending' ? 'complete' : 'partial';
  return { run: unreadableRun(row, { route, bytes: env.bytes.reserve(), cost, protocol: CHAT }), pause };
}

/** The newest pause among these events. */
function pauseOf(events: readonly RunEvent[]): Pause {
  const paused = events.findLast(({ event_type }) => event_type === 'paused');
  const stage = paused?.stage === 'egress' || paused?.stage === 'execute' ? paused.stage : 'ingress';
  return { stage, node: paused?.node ?? '', code: paused?.data.code ?? '', digest: paused?.data.digest ?? '' };
}
