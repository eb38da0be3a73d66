import { type Clock, type ModelInventory, type RunStatus, type Store, SvcError } from '@svc/contracts';
import { AlteredLedger, type ConsistencyProof, type SignedCheckpoint, type TreeKeeper } from '../ledger/tree/keeper.ts';

/** What an auditor needs to check checkpoints: C2SP signed-note verifier keys. */
export interface LedgerKeys {
  readonly origin: string;
  readonly verifier_keys: readonly string[];
}

/** The report of `GET /v1/audit/report`. */
export interface AuditReport {
  readonly generated_at: string;
  /** The inventory records of this start. */
  readonly inventory: readonly ModelInventory[];
  readonly run_stats: Readonly<Record<RunStatus, number>>;
  readonly chain_length: number;
}

interface AuditParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly tree: TreeKeeper;
  /** Names of the exporters. */
  readonly exporters: readonly string[];
  readonly inventory: readonly ModelInventory[];
}

/** What auditors and metrics read: the ledger, its proofs, figures. */
export class Audit {
  readonly store: Pick<Store, 'records' | 'countRuns' | 'runs'>;
  readonly #parts: AuditParts;

  constructor(parts: AuditParts) {
    this.store = parts.store;
    this.#parts = parts;
  }

  async chainLength(): Promise<number> {
    return (await this.#parts.store.head())?.seq ?? 0;
  }

  /**
   * The newest signed tree head, as a C2SP note.
   * @throws {SvcError} SVC-STORE-001 for a ledger that was altered
   */
  checkpoint(): Promise<SignedCheckpoint> {
    return this.#proven((tree) => tree.checkpoint());
  }

  /** Verifier keys of the keys that sign checkpoints, the newest first, and their origin. */
  get keys(): LedgerKeys {
    const { origin, verifierKeys } = this.#parts.tree;
    return { origin, verifier_keys: verifierKeys };
  }

  /** A C2SP proof file. @throws {SvcError} SVC-REQ-001, SVC-STORE-001 */
  inclusionProof(seq: number): Promise<string> {
    return this.#proven((tree) => tree.inclusion(seq));
  }

  /** @param to null: the newest checkpoint. @throws {SvcError} SVC-REQ-001, SVC-STORE-001 */
  consistencyProof(from: number, to: number | null): Promise<ConsistencyProof> {
    return this.#proven((tree) => tree.consistency(from, to));
  }

  /** The last delivered seq of each exporter, by name. */
  async exportCursors(): Promise<ReadonlyMap<string, number>> {
    const { store, exporters } = this.#parts;
    return new Map(await Promise.all(exporters.map(async (name) => [name, await store.cursor(name)] as const)));
  }

  async report(): Promise<AuditReport> {
    const { store, clock, inventory } = this.#parts;
    return {
      generated_at: new Date(clock.now()).toISOString(),
      inventory,
      run_stats: await store.countRuns(),
      chain_length: await this.chainLength(),
    };
  }

  async #proven<T>(ask: (tree: TreeKeeper) => Promise<T>): Promise<T> {
    try {
      return await ask(this.#parts.tree);
    } catch (error) {
      if (!(error instanceof AlteredLedger)) throw error;
      throw new SvcError('SVC-STORE-001', error.message, { cause: error });
    }
  }
}
