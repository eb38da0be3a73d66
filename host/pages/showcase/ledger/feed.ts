import type { Api } from '../../shared/api.ts';
import { type ShownRecord, shownRecord } from './record.ts';
import { pageOf } from './verify.ts';

/** Number of records shown: enough to see a chain. */
const SHOWN = 8;
const PAGE = 1000;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The newest ledger records, as served, and the total number. */
export class Feed {
  readonly #api: Api;
  #records: readonly ShownRecord[] = [];
  #length = 0;

  constructor(api: Api) {
    this.#api = api;
  }

  get records(): readonly ShownRecord[] {
    return this.#records;
  }

  get length(): number {
    return this.#length;
  }

  /** Fetches new records. */
  async refresh(): Promise<void> {
    if (this.#length === 0) this.#length = Math.max((await this.#api.report()).chain_length - SHOWN, 0);
    for (let full = true; full; ) {
      const records = pageOf(await this.#api.ledger(this.#length, PAGE));
      const read = records.map((bytes) => shownRecord(decoder.decode(bytes)));
      this.#records = [...this.#records, ...read].slice(-SHOWN);
      this.#length = read.at(-1)?.seq ?? this.#length;
      full = records.length === PAGE;
    }
  }
}
