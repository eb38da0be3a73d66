import { AggregatorRegistry, type PrometheusContentType, type Registry } from 'prom-client';

/** The metrics of one process, as a message to another. */
export type MetricsPart = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The processes of one server, including this one. */
export interface AllParts {
  /**
   * Reads the metrics of all processes. Has a time limit of its own.
   * @param own metrics of this process; they are kept, so that they stay in the sum when the process is gone
   */
  read(own: MetricsPart): Promise<GatheredParts>;
}

export interface GatheredParts {
  /** One part for each process, and one for all dead ones. */
  readonly parts: readonly MetricsPart[];
  /** Configured number of workers, including the one that asks. */
  readonly workers: number;
  /** Number of workers with current metrics, including the one that asks. */
  readonly answered: number;
  /** Process ids of those that did not answer in time. Their part is the previous one, if there is one. */
  readonly late: readonly number[];
}

/** The sum of parts. Counters and histograms are added up; a gauge declares its aggregation. */
export function sumOf(parts: readonly MetricsPart[]): Registry {
  return AggregatorRegistry.aggregate<PrometheusContentType>([...parts]);
}

/** The part of a dead process: its counters, but not its gauges. */
export function countedOf(part: MetricsPart): MetricsPart {
  return part.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}
