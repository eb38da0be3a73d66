import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';

/** What one process has counted; can be sent to another. */
export type MetricsPart = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Several processes that serve together, this one among them. */
export interface AllParts {
  /**
   * What all have counted. Takes no longer than a time limit of its own.
   * @param own what this process has counted; kept, so that it stays in the sum when this process is gone
   */
  read(own: MetricsPart): Promise<GatheredParts>;
}

export interface GatheredParts {
  /** One of each process, and one of all that are gone. */
  readonly parts: readonly MetricsPart[];
  /** How many workers there should be, the one that asks included. */
  readonly workers: number;
  /** How many of them count here as of now, the one that asks included. */
  readonly answered: number;
  /** Process ids of those that did not answer in time: their part is that of their last answer, if there was one. */
  readonly late: readonly number[];
}

/** Counters and histograms add up; a gauge says itself how it is put together. */
export function sumOf(parts: readonly MetricsPart[]): Registry {
  return AggregatorRegistry.aggregate<PrometheusContentType>([...parts]);
}

/** What stays of a process that is gone: what it counted, not what it was. */
export function countedOf(part: MetricsPart): MetricsPart {
  return part.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}
