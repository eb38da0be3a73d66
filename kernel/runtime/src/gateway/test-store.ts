import type { Lease, LedgerQuery, RunPage, RunQuery, RunStatus, StoredRecord } from '@svc/contracts';
import { TroubledStore } from '../records/ledger/test-store.ts';
import { handClock } from '../test-parts.ts';

/** A store in memory that several processes share. Its leases have a clock of their own, and it can become unavailable for all processes at once. */
export class SharedStore extends TroubledStore {
  override readonly exclusive: boolean;
  /** The clock of the leases. */
  readonly clock = handClock();
  /** Leases by name. `holder` is null after a release. */
  readonly leases = new Map<string, { holder: string | null; token: number; until: number }>();
  readonly meta = new Map<string, string>();
  away = false;

  constructor({ exclusive = false } = {}) {
    super();
    this.exclusive = exclusive;
  }

  #assertThere(): void {
    if (this.away) throw new Error('away');
  }

  #live(name: string) {
    const lease = this.leases.get(name);
    return lease !== undefined && lease.holder !== null && lease.until > this.clock.now() ? lease : undefined;
  }

  override readonly acquireLease = async (name: string, holder: string, ttl_ms: number): Promise<Lease | null> => {
    this.#assertThere();
    const live = this.#live(name);
    if (live !== undefined && live.holder !== holder) return null;
    const token = live?.token ?? (this.leases.get(name)?.token ?? 0) + 1;
    this.leases.set(name, { holder, token, until: this.clock.now() + ttl_ms });
    return { name, holder, token };
  };

  override readonly releaseLease = async ({ name, token }: Lease): Promise<void> => {
    this.#assertThere();
    const lease = this.leases.get(name);
    if (lease?.token === token) this.leases.set(name, { ...lease, holder: null });
  };

  override readonly leaseHolder = async (name: string): Promise<string | null> => {
    this.#assertThere();
    return this.#live(name)?.holder ?? null;
  };

  override readonly forgetLeases = async (prefix: string, lapsed_ms: number): Promise<number> => {
    this.#assertThere();
    const by = this.clock.now() - lapsed_ms;
    const gone = [...this.leases].filter(([name, { until }]) => name.startsWith(prefix) && until <= by);
    for (const [name] of gone) this.leases.delete(name);
    return gone.length;
  };

  override readonly now = async (): Promise<number> => {
    this.#assertThere();
    return this.clock.now();
  };

  override readonly statuses = async (run_ids: readonly string[]): Promise<ReadonlyMap<string, RunStatus>> => {
    this.#assertThere();
    return new Map(
      [...this.rows.values()].filter(({ run_id }) => run_ids.includes(run_id)).map((row) => [row.run_id, row.status]),
    );
  };

  /** All runs in one page. */
  override readonly runs = async ({ status }: RunQuery): Promise<RunPage> => {
    this.#assertThere();
    const rows = [...this.rows.values()].filter((row) => status?.includes(row.status) ?? true);
    return { rows: structuredClone(rows), next: null };
  };

  override readonly records = async ({ since_seq, limit }: LedgerQuery): Promise<readonly StoredRecord[]> => {
    this.#assertThere();
    return this.ledger.slice(since_seq, since_seq + limit);
  };

  override readonly readMeta = async (key: string): Promise<string | null> => {
    this.#assertThere();
    return this.meta.get(key) ?? null;
  };

  override readonly writeMeta = async (key: string, expected: string | null, value: string): Promise<boolean> => {
    this.#assertThere();
    if ((this.meta.get(key) ?? null) !== expected) return false;
    this.meta.set(key, value);
    return true;
  };

  override readonly expireContent = async (): Promise<number> => 0;
  override readonly open = async (): Promise<void> => undefined;
  override readonly close = async (): Promise<void> => undefined;
}
