import type { RunsDb } from '../config/runs-db.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';

/** How a configuration is to be served. */
export interface AssembleOptions {
  readonly runs_db: RunsDb;
  /** False where another process of this server has done it. */
  readonly seals_inventory: boolean;
  readonly metrics: Metrics;
  /** `--accept-clock`, see {@link Gateway.open}. */
  readonly accepts_clock?: boolean;
  /** `--no-auth`: by which names the gateway may be called. Null: keys are asked for. */
  readonly allowed_hosts: readonly string[] | null;
  /** `--demo`: each visitor has a quota. */
  readonly demo?: boolean;
  /** For `svc openapi` only. */
  readonly describes?: true;
}
