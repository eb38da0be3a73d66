import { Counter, type Registry } from 'prom-client';
import { logLinesLost } from '../log/logger.ts';

/** Metrics of lost log lines. */
export function registerLogMetrics(registry: Registry): void {
  new Counter({
    name: 'svc_log_lines_lost_total',
    help: 'Log lines dropped because the output was not read.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(logLinesLost());
    },
  });
}
