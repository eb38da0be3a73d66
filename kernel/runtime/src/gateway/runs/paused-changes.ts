import type { RunEvent, RunRow } from '@svc/contracts';
import { runsIn } from './each-run.ts';
import type { GatewayEnv } from './gateway-env.ts';
import { type ListedRun, nullIfUnknown, readRun } from './stored-runs.ts';

/**
 * `waiting`: it paused. `approved`: someone approved it, and it needs more approvals. `edited`: an approver edited it. `decided`, `expired`, `ended`: it is
 * no longer paused. `changed`: anything else.
 */
export const PAUSED_CHANGES = ['waiting', 'approved', 'edited', 'decided', 'expired', 'ended', 'changed'] as const;

export interface PausedChange {
  readonly change: (typeof PAUSED_CHANGES)[number];
  readonly run: ListedRun;
}

interface Known {
  readonly version: number;
  readonly events: number;
}

/** Finds what has changed among the paused runs of the store, whichever process changed it. */
export class PausedChanges {
  readonly #env: GatewayEnv;
  #known: ReadonlyMap<string, Known> | null = null;

  constructor(env: GatewayEnv) {
    this.#env = env;
  }

  /** The changes since the previous call; none at the first call. After a rejection, the next call finds them. */
  async next(): Promise<readonly PausedChange[]> {
    const before = this.#known;
    const now = new Map<string, Known>();
    const changes: PausedChange[] = [];
    for await (const row of runsIn(this.#env.store, ['paused'])) {
      now.set(row.run_id, { version: row.version, events: row.events.length });
      const known = before?.get(row.run_id);
      if (before === null || known?.version === row.version) continue;
      changes.push({ change: changeOf(row, known), run: { row, events: JSON.stringify(row.events) } });
    }
    for (const [run_id, known] of before ?? []) {
      if (now.has(run_id)) continue;
      const ended = await readRun(run_id, this.#env).catch(nullIfUnknown);
      // The store no longer has it.
      if (ended === null) continue;
      const { row, events } = ended;
      // It paused again after the list was read.
      if (row.status === 'paused') now.set(run_id, known);
      else changes.push({ change: endOf(events.slice(known.events)), run: { row, events: JSON.stringify(events) } });
    }
    this.#known = now;
    return changes;
  }
}

function changeOf({ events }: RunRow, known: Known | undefined): PausedChange['change'] {
  const later = events.slice(known?.events ?? 0);
  if (known === undefined || has(later, 'paused')) return 'waiting';
  const decision = later.findLast(({ event_type }) => event_type === 'decision');
  if (decision === undefined) return 'changed';
  return decision.data.edited === undefined ? 'approved' : 'edited';
}

function endOf(later: readonly RunEvent[]): PausedChange['change'] {
  if (has(later, 'decision')) return 'decided';
  return has(later, 'expired') ? 'expired' : 'ended';
}

function has(events: readonly RunEvent[], type: RunEvent['event_type']): boolean {
  return events.some(({ event_type }) => event_type === type);
}
