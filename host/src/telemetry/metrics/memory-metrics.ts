import type { BytesInFlight } from '@svc/kernel/admission';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of bytes in flight, and of requests that were refused for lack of room. Read at each scrape. */
export class MemoryMetrics {
  constructor(registry: Registry, bytes: BytesInFlight) {
    const registers = [registry];
    new Gauge({
      name: 'svc_bytes_in_flight',
      help: 'Bytes of requests and answers in flight.',
      registers,
      collect() {
        this.set(bytes.bytes);
      },
    });
    new Counter({
      name: 'svc_bytes_refused_total',
      help: 'Requests rejected and answers discarded because of the memory limit.',
      labelNames: ['what'],
      registers,
      collect() {
        this.reset();
        for (const [what, count] of Object.entries(bytes.refused)) this.inc({ what }, count);
      },
    });
  }
}
