import type { Api } from '../../shared/api.ts';
import { type ReadRecord, readRecord } from './record.ts';
import { splitRecords } from './split.ts';

/** Records that are shown: enough to see a chain. */
const SHOWN = 8;
const PAGE = 1000;

/** The newest records of the ledger, as served, and how many there are. */
export class Feed {
  readonly #api: Api;
  #records: readonly ReadRecord[] = [];
  #length = 0;

  constructor(api: Api) {
    this.#api = api;
  }

  get records(): readonly ReadRecord[] {
    return this.#records;
  }

  get length(): number {
    return this.#length;
  }

  /** Reads what is new. */
  async refresh(): Promise<void> {
    if (this.#length === 0) this.#length = Math.max((await this.#api.report()).chain_length - SHOWN, 0);
    for (let full = true; full; ) {
      const raws = splitRecords(await this.#api.ledger(this.#length, PAGE));
      const read = raws.map(readRecord).filter((record) => record !== null);
      if (read.length < raws.length) throw new Error('The gateway returned an invalid ledger record.');
      this.#records = [...this.#records, ...read].slice(-SHOWN);
      this.#length = read.at(-1)?.seq ?? this.#length;
      full = raws.length === PAGE;
    }
  }
}
