import type { Clock } from '@svc/contracts';
import type { CallReport, NodeReport, RunReport } from './observer.ts';

/** Where a run's time went, for observers only. */
export class Timeline {
  readonly calls: CallReport[] = [];
  readonly nodes: NodeReport[] = [];
  /** Time in which a slow reader kept the stream waiting. */
  reader_ms = 0;
  started_at = 0;
  #began = 0;

  /** Called when work on the run begins, and again when it continues after a decision. */
  begin(clock: Clock): void {
    this.started_at = clock.now();
    this.#began = clock.monotonic();
    this.reader_ms = 0;
    this.calls.length = 0;
    this.nodes.length = 0;
  }

  /** Milliseconds from the start of the work to a monotonic time. */
  at(monotonic: number): number {
    return monotonic - this.#began;
  }

  /** The times so far, as a copy. */
  report(monotonic: number): Pick<RunReport, 'started_at' | 'duration_ms' | 'reader_ms' | 'calls' | 'nodes'> {
    const { started_at, reader_ms, calls, nodes } = this;
    return { started_at, duration_ms: this.at(monotonic), reader_ms, calls: [...calls], nodes: [...nodes] };
  }
}
