import { Histogram, type Registry } from 'prom-client';

const INTERVAL_MS = 20;

/**
 * Metrics of the event loop's delay. They replace prom-client's gauges, which every scrape resets: with two scrapers, each would miss what the other
 * has read.
 */
export class EventLoopMetrics {
  constructor(registry: Registry) {
    for (const { name } of registry.getMetricsAsArray())
      if (name.startsWith('nodejs_eventloop_lag_')) registry.removeSingleMetric(name);
    const delay = new Histogram({
      name: 'svc_event_loop_delay_seconds',
      help: 'Event loop delay.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [registry],
    });
    let before = performance.now();
    setInterval(() => {
      const now = performance.now();
      delay.observe(Math.max(0, now - before - INTERVAL_MS) / 1000);
      before = now;
    }, INTERVAL_MS).unref();
  }
}
