import type { Agent } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { withTimeout } from '@svc/contracts';
import type { RunReport } from '@svc/kernel/observing';
import { pep440, VERSION } from '@svc/kernel/version';
import type { Logger } from 'pino';
import type { ResolvedConfig } from '../../config/index.ts';
import { collectorAgent } from './collector-agent.ts';
import { GEN_AI_SCHEMA, recordRun } from './run-spans.ts';
import type { Upstream } from './upstream.ts';
import { WatchedExporter } from './watched-exporter.ts';

/** Limit of one export including retries, in milliseconds. */
const EXPORT_MS = 3_000;
const BATCH_EVERY_MS = 1_000;
const QUEUED_SPANS = 4_096;
const BATCH_SPANS = 512;
/** How long the last export may take when the gateway stops. */
const LAST_FLUSH_MS = 2_000;

type Traces = NonNullable<ResolvedConfig['traces']>;

/**
 * Hides OTEL_EXPORTER_OTLP_* while an exporter is created. The exporter would read these variables and add their headers even to given ones. That
 * would be a second configuration, unknown to the digest and to `svc lint`. There is no option to prevent this.
 */
function withoutEnvironment<T>(make: () => T): T {
  const hidden = Object.entries(process.env).filter(([name]) => /^OTEL_/i.test(name));
  for (const [name] of hidden) delete process.env[name];
  try {
    return make();
  } finally {
    Object.assign(process.env, Object.fromEntries(hidden));
  }
}

/** Exports spans of runs to a collector. Spans that the collector does not accept in time are dropped: no run ever waits for them. */
export class Tracing {
  readonly #agent: Agent;
  readonly #exporter: WatchedExporter;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #upstreamOf: (provider: string) => Upstream;

  /** @param upstreamOf returns what the configuration says about a provider */
  constructor(
    traces: Traces,
    upstreamOf: (provider: string) => Upstream,
    { directory, logger }: { directory: string; logger: Logger },
  ) {
    const { endpoint, headers, sample_ratio } = traces;
    this.#upstreamOf = upstreamOf;
    this.#agent = collectorAgent(endpoint, traces, { directory, logger });
    const options = { url: endpoint, headers, timeoutMillis: EXPORT_MS, httpAgentOptions: () => this.#agent };
    this.#exporter = new WatchedExporter(
      withoutEnvironment(() => new OTLPTraceExporter(options)),
      logger,
    );
    const processor = new BatchSpanProcessor({
      exporter: this.#exporter,
      maxQueueSize: QUEUED_SPANS,
      maxExportBatchSize: BATCH_SPANS,
      scheduledDelayMillis: BATCH_EVERY_MS,
      exportTimeoutMillis: 2 * EXPORT_MS,
    });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'svc', 'service.version': pep440(VERSION) }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sample_ratio) }),
      spanProcessors: [processor],
    });
    this.#tracer = this.#provider.getTracer('svc', pep440(VERSION), { schemaUrl: GEN_AI_SCHEMA });
  }

  /** Creates the spans after the answer was sent. */
  settled(report: RunReport): void {
    setImmediate(() => {
      try {
        recordRun(this.#tracer, report, this.#upstreamOf);
      } catch {
        // An error in tracing must not end the process.
      }
    });
  }

  /** Exports the remaining spans within two seconds. */
  async close(): Promise<void> {
    await turn();
    await withTimeout(
      this.#provider.shutdown().catch(() => undefined),
      LAST_FLUSH_MS,
    );
    this.#exporter.giveUp();
    // A collector that neither answers nor closes the connection would block the process, and so would retries.
    this.#agent.createConnection = () => {
      throw Object.assign(new Error('closed'), { code: 'ECANCELED' });
    };
    this.#agent.destroy();
  }
}
