import type { RunReport } from '@svc/kernel/observing';
import { Counter, Gauge, type Registry } from 'prom-client';

/** How long a session counts as active after its last run. */
const ACTIVE_MS = 900_000;
const MAX_SESSIONS = 10_000;

/** Metrics of sessions. There may be any number of sessions, so none is a label. */
export class SessionMetrics {
  readonly #runs: Counter;
  /** The end of each session's last run, in milliseconds; the oldest first. */
  readonly #last = new Map<string, number>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.#runs = new Counter({
      name: 'svc_session_runs_total',
      help: 'Ended or paused runs that belong to a session.',
      registers,
    });
    const last = this.#last;
    new Gauge({
      name: 'svc_sessions_active',
      help: 'Sessions with a run in the last 15 minutes, at most 10,000; a session that used several processes is counted in each.',
      collect() {
        for (const [session, ended_at] of last) {
          if (ended_at > performance.now() - ACTIVE_MS) break;
          last.delete(session);
        }
        this.set(last.size);
      },
      registers,
    });
  }

  settled({ caller: { principal_id, session } }: RunReport): void {
    if (session === null) return;
    this.#runs.inc();
    const key = JSON.stringify([principal_id, session]);
    // The oldest key is looked up only if it must go: a map skips the keys that were deleted before it.
    if (!this.#last.delete(key) && this.#last.size >= MAX_SESSIONS) {
      const [oldest = ''] = this.#last.keys();
      this.#last.delete(oldest);
    }
    this.#last.set(key, performance.now());
  }
}
