import type { ConsistencyProof, InventoryList, LedgerList, ModelInventory, Report, RunList, StoredRun } from './openapi.ts';
import { itemsOf } from './pages.ts';
import type { CallOptions, Transport } from './transport.ts';

export type LedgerRecord = LedgerList['records'][number];

export interface RunFilter {
  readonly principal?: string;
  readonly route?: string;
  /** ISO 8601, inclusive. */
  readonly since?: string;
  readonly status?: StoredRun['status'];
  /** Of one page; 1,000 unless given. All pages are read either way. */
  readonly limit?: number;
}

export interface LedgerFilter {
  /** Records after this seq. 0 unless given. */
  readonly since_seq?: number;
  readonly route?: string;
  /** Of one page; 1,000 unless given. All pages are read either way. */
  readonly limit?: number;
}

/** Runs, ledger and proofs. Lists are read page by page while they are iterated. */
export class Audit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first. */
  runs(filter: RunFilter = {}, options: CallOptions = {}): AsyncIterable<StoredRun> {
    const call = { method: 'GET', path: '/v1/audit', query: { ...filter } } as const;
    return itemsOf(this.#transport, call, options, (page) => (page as RunList).runs);
  }

  /** In order of `seq`. */
  ledger(filter: LedgerFilter = {}, options: CallOptions = {}): AsyncIterable<LedgerRecord> {
    const call = { method: 'GET', path: '/v1/audit/ledger', query: { ...filter } } as const;
    return itemsOf(this.#transport, call, options, (page) => (page as LedgerList).records);
  }

  inventory(filter: { readonly route?: string } = {}, options: CallOptions = {}): AsyncIterable<ModelInventory> {
    const call = { method: 'GET', path: '/v1/audit/inventory', query: { ...filter } } as const;
    return itemsOf(this.#transport, call, options, (page) => (page as InventoryList).records);
  }

  report(options: CallOptions = {}): Promise<Report> {
    return this.#transport.json({ method: 'GET', path: '/v1/audit/report' }, options);
  }

  /** The newest signed checkpoint, as a note. */
  checkpoint(options: CallOptions = {}): Promise<string> {
    return this.#text('/v1/audit/ledger/checkpoint', {}, options);
  }

  /** That record `seq` is in the ledger: a file for `svc ledger verify-proof`. */
  proof(seq: number, options: CallOptions = {}): Promise<string> {
    return this.#text('/v1/audit/ledger/proof', { seq }, options);
  }

  /** That the ledger of `to` records goes on from that of `from`. */
  consistency(from: number, to: number, options: CallOptions = {}): Promise<ConsistencyProof> {
    return this.#transport.json({ method: 'GET', path: '/v1/audit/ledger/proof', query: { from, to } }, options);
  }

  #text(path: string, query: Readonly<Record<string, number>>, options: CallOptions): Promise<string> {
    return this.#transport.read({ method: 'GET', path, query }, options, (response) => response.text());
  }
}
