import type { LogSettings } from '../telemetry/log/log-settings.ts';
import type { GatheredParts, MetricsPart } from '../telemetry/metrics/parts.ts';

/** Settings for a worker. The primary has read and checked them. */
export interface Order {
  readonly config_file: string;
  /** The bytes of the active configuration. A worker that starts later serves with the same bytes. */
  readonly config_bytes: Uint8Array;
  readonly runs_db: string;
  readonly logs: LogSettings;
  readonly host: string;
  readonly port: number;
  readonly allowed_hosts: readonly string[] | null;
  readonly accepts_clock: boolean;
  readonly drain_delay_ms: number;
  readonly drain_timeout_ms: number;
}

/** The order for one worker. `first`: the worker also does what happens once per start of the server. */
export type WorkerOrder = Order & { readonly first: boolean };

export type ToWorker =
  | { readonly type: 'serve'; readonly order: WorkerOrder }
  | { readonly type: 'stop'; readonly signal: string }
  /** Read the configuration file again. The other workers follow. */
  | { readonly type: 'reload' }
  | { readonly type: 'give_part'; readonly id: number }
  | { readonly type: 'gathered'; readonly id: number; readonly gathered: GatheredParts }
  /** A message on the channel to the store that the primary holds. */
  | { readonly type: 'store'; readonly message: unknown };

export type FromWorker =
  | { readonly type: 'listening'; readonly url: string }
  /** Another configuration is active. */
  | { readonly type: 'applied'; readonly config_bytes: Uint8Array }
  /** Why the worker cannot serve, for people. The worker then ends. */
  | { readonly type: 'refused'; readonly reason: string }
  /** `id`: that of `give_part`; null for the last part, which a worker sends before it ends. */
  | { readonly type: 'part'; readonly id: number | null; readonly part: MetricsPart }
  /** `part`: the worker's own metrics. */
  | { readonly type: 'gather'; readonly id: number; readonly part: MetricsPart }
  | { readonly type: 'store'; readonly message: unknown };
