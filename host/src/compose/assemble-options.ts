import type { Store } from '@svc/contracts';
import type { ResolvedConfig } from '../config/index.ts';
import type { RunsDb } from '../config/runs-db.ts';
import type { Metrics } from '../telemetry/metrics/metrics.ts';

/** Options for serving a configuration. */
export interface AssembleOptions {
  readonly runs_db: RunsDb;
  /** Replaces the store that would be created for `runs_db`. */
  readonly store?: Store;
  /** False if another process of this server records the inventory. */
  readonly seals_inventory: boolean;
  readonly metrics: Metrics;
  /** `--accept-clock`, see {@link Gateway.open}. */
  readonly accepts_clock?: boolean;
  /** `--no-auth`: host names under which the gateway may be called. Null: keys are required. */
  readonly allowed_hosts: readonly string[] | null;
  /** `--demo`: each visitor has a quota. */
  readonly demo?: boolean;
  /** Called with each configuration that is applied after the start. */
  readonly applied?: (config: ResolvedConfig) => void;
  /** For `svc openapi` only: the server describes its endpoints. */
  readonly describes?: true;
}
