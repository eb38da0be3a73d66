import type { ConsistencyProof, InventoryList, LedgerList, ModelInventory, Report, RunList, StoredRun } from './openapi.ts';
import { itemsOf } from './pages.ts';
import type { CallOptions, Transport } from './transport.ts';

export type LedgerRecord = LedgerList['records'][number];

export interface RunFilter {
  readonly principal?: string;
  readonly route?: string;
  readonly session?: string;
  /** ISO 8601, inclusive. */
  readonly since?: string;
  readonly status?: StoredRun['status'];
  /** Only runs in which a guard had this verdict. */
  readonly verdict?: 'allow' | 'sanitize' | 'require_approval' | 'block';
  /** Text in the code of an event, case-insensitive. */
  readonly code?: string;
  /** Items per page. Default: 1,000. All pages are read in any case. */
  readonly limit?: number;
}

export interface LedgerFilter {
  /** Only records after this seq. Default: 0. */
  readonly since_seq?: number;
  readonly route?: string;
  /** Items per page. Default: 1,000. All pages are read in any case. */
  readonly limit?: number;
}

/** Runs, ledger and proofs. Iterating over a list fetches its pages as needed. */
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

  /** All records of a session as JSON lines, for a file that `svc ledger verify` can check. */
  session(principal: string, session: string, options: CallOptions = {}): Promise<string> {
    return this.#text('/v1/audit/session', { principal, session }, options);
  }

  /** The newest signed checkpoint, as a note. */
  checkpoint(options: CallOptions = {}): Promise<string> {
    return this.#text('/v1/audit/ledger/checkpoint', {}, options);
  }

  /** Proof that record `seq` is in the ledger, for a file that `svc ledger verify-proof` can check. */
  proof(seq: number, options: CallOptions = {}): Promise<string> {
    return this.#text('/v1/audit/ledger/proof', { seq }, options);
  }

  /** Proof that the ledger of `to` records extends the ledger of `from` records. */
  consistency(from: number, to: number, options: CallOptions = {}): Promise<ConsistencyProof> {
    return this.#transport.json({ method: 'GET', path: '/v1/audit/ledger/proof', query: { from, to } }, options);
  }

  #text(path: string, query: Readonly<Record<string, number | string>>, options: CallOptions): Promise<string> {
    return this.#transport.read({ method: 'GET', path, query }, options, (response) => response.text());
  }
}
