import { Counter, type Registry } from 'prom-client';
import { logLinesLost } from '../log/logger.ts';

/** Log lines that nobody will read. */
export function registerLogMetrics(registry: Registry): void {
  new Counter({
    name: 'svc_log_lines_lost_total',
    help: 'Log lines that were dropped because nobody read them.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(logLinesLost());
    },
  });
}
