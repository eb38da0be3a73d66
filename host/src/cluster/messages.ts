import type { GatheredParts, MetricsPart } from '../telemetry/metrics/parts.ts';

/** What a worker serves with: as the primary has read and checked it. */
export interface Order {
  readonly config_file: string;
  /** Of the configuration file; a worker that is started later serves with the same. */
  readonly config_bytes: Uint8Array;
  readonly runs_db: string;
  readonly host: string;
  readonly port: number;
  readonly allowed_hosts: readonly string[] | null;
  readonly accepts_clock: boolean;
  readonly drain_delay_ms: number;
}

/** What one worker is told. `first`: it does what a start of the server does once. */
export type WorkerOrder = Order & { readonly first: boolean };

export type ToWorker =
  | { readonly type: 'serve'; readonly order: WorkerOrder }
  | { readonly type: 'stop'; readonly signal: string }
  | { readonly type: 'give_part'; readonly id: number }
  | { readonly type: 'gathered'; readonly id: number; readonly gathered: GatheredParts };

export type FromWorker =
  | { readonly type: 'listening'; readonly url: string }
  /** Why it does not serve, for people. It ends after that. */
  | { readonly type: 'refused'; readonly reason: string }
  /** `id` is that of `give_part`, null of the last one before its end. */
  | { readonly type: 'part'; readonly id: number | null; readonly part: MetricsPart }
  /** `part` is its own. */
  | { readonly type: 'gather'; readonly id: number; readonly part: MetricsPart };
