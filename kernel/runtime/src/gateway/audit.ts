import type { Clock, ModelInventory, RunStatus, Store } from '@svc/contracts';
import type { Proofs } from './proofs.ts';
import { exportSession, type SessionExport } from './session-export.ts';

/** The report of `GET /v1/audit/report`. */
export interface AuditReport {
  readonly generated_at: string;
  /** The newest inventory record of each active route. */
  readonly inventory: readonly ModelInventory[];
  readonly run_stats: Readonly<Record<RunStatus, number>>;
  readonly chain_length: number;
}

interface AuditParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ledger: Proofs;
  readonly operations: Proofs;
  /** Names of the exporters. */
  readonly exporters: readonly string[];
  readonly inventory: () => readonly ModelInventory[];
}

/** Read access for auditors and metrics: the ledger, proofs and statistics. */
export class Audit {
  readonly store: Pick<Store, 'records' | 'countRuns' | 'runs'>;
  readonly ledger: Proofs;
  readonly operations: Proofs;
  readonly #parts: AuditParts;

  constructor(parts: AuditParts) {
    this.store = parts.store;
    this.ledger = parts.ledger;
    this.operations = parts.operations;
    this.#parts = parts;
  }

  async chainLength(): Promise<number> {
    return (await this.#parts.store.head())?.seq ?? 0;
  }

  /** See {@link exportSession}. @throws {SvcError} SVC-STORE-001 */
  session(principal_id: string, session: string): Promise<SessionExport | null> {
    return exportSession(principal_id, session, this.#parts);
  }

  /** The last seq that each exporter delivered, by name. */
  async exportCursors(): Promise<ReadonlyMap<string, number>> {
    const { store, exporters } = this.#parts;
    return new Map(await Promise.all(exporters.map(async (name) => [name, await store.cursor(name)] as const)));
  }

  async report(): Promise<AuditReport> {
    const { store, clock, inventory } = this.#parts;
    return {
      generated_at: new Date(clock.now()).toISOString(),
      inventory: inventory(),
      run_stats: await store.countRuns(),
      chain_length: await this.chainLength(),
    };
  }
}
