import type { Endpoint } from '@svc/contracts';
import type { CircuitCause, RunReport } from '@svc/kernel/observing';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Metrics of the duration and usage of upstream attempts. Provider and model are those of the configuration, not those of the answer. */
export class UpstreamMetrics {
  readonly #duration: Histogram<'route' | 'provider' | 'model' | 'outcome'>;
  readonly #firstToken: Histogram<'route' | 'provider' | 'model'>;
  readonly #circuits: Gauge<'provider' | 'model' | 'cause'>;
  readonly #tokens: Counter<'route' | 'provider' | 'model' | 'kind'>;
  readonly #unpriced: Gauge<'provider' | 'model'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#duration = new Histogram({
      name: 'svc_upstream_duration_seconds',
      help: 'Duration of one upstream attempt.',
      labelNames: ['route', 'provider', 'model', 'outcome'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800],
      registers,
    });
    this.#firstToken = new Histogram({
      name: 'svc_upstream_time_to_first_token_seconds',
      help: 'Time from the start of an attempt to the first text of its stream.',
      labelNames: ['route', 'provider', 'model'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30, 60, 120, 300],
      registers,
    });
    this.#circuits = new Gauge({
      name: 'svc_upstream_circuit_open',
      help: 'Number of processes that skip an endpoint because its last calls all failed (cause="failures") or it refused a call.',
      labelNames: ['provider', 'model', 'cause'],
      registers,
    });
    this.#tokens = new Counter({
      name: 'svc_tokens_total',
      help: 'Billed tokens of upstream attempts; cached_input and cache_write are parts of input, reasoning is part of output.',
      labelNames: ['route', 'provider', 'model', 'kind'],
      registers,
    });
    this.#unpriced = new Gauge({
      name: 'svc_model_unpriced',
      help: 'Number of processes that have prices, but none for this model of a route.',
      labelNames: ['provider', 'model'],
      registers,
    });
  }

  /** @param endpoints endpoints without a price, if the active configuration has prices */
  unpriced(endpoints: readonly Pick<Endpoint, 'provider' | 'model'>[]): void {
    this.#unpriced.reset();
    for (const { provider, model } of endpoints) this.#unpriced.set({ provider, model }, 1);
  }

  circuit({ provider, model }: Endpoint, cause: CircuitCause, open: boolean): void {
    this.#circuits.set({ provider, model, cause }, open ? 1 : 0);
  }

  settled({ route, calls }: RunReport): void {
    for (const { provider, model: called, outcome, upstream_ms, first_token_ms, usage } of calls) {
      // With a pattern, callers name the models, so the number of names is unlimited.
      const model = route.endsWith('*') ? route : called;
      if (outcome === 'skipped') continue;
      this.#duration.observe({ route, provider, model, outcome }, upstream_ms / 1000);
      if (first_token_ms !== null) this.#firstToken.observe({ route, provider, model }, first_token_ms / 1000);
      if (usage === null) continue;
      const {
        input_tokens: input,
        output_tokens: output,
        cached_input_tokens: cached_input,
        reasoning_tokens: reasoning = 0,
      } = usage;
      const cache_write = (usage.cache_write_5m_tokens ?? 0) + (usage.cache_write_1h_tokens ?? 0);
      for (const [kind, tokens] of Object.entries({ input, output, cached_input, cache_write, reasoning }))
        if (tokens > 0) this.#tokens.inc({ route, provider, model, kind }, tokens);
    }
  }
}
