import type { FileHandle } from 'node:fs/promises';
import { isObject, type JsonObject } from '@svc/contracts';

const NEWLINE = Buffer.from('\n');

/** Which records are of a period, by the time in them. */
export interface PartOf {
  /** ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** ISO 8601; null: the record has no time. */
  readonly timeOf: (record: JsonObject) => string | null;
  /** Whether records from before the period are left out, all but the last one. */
  readonly cutsBefore: boolean;
}

/**
 * Writes the records of a period and, at each end, the next one outside of it, which proves that none is missing. Times may be out of order by as much
 * as clocks of gateways differ. So records are written before it is known whether they belong to the part, and cut off again.
 */
export class RecordPart {
  /** `seq` of the first record; 0: none yet. */
  first = 0;
  /** `seq` of the last record. */
  last = 0;
  /** The latest time of a record, ISO 8601; null: none has a time. */
  latest: string | null = null;
  readonly #file: FileHandle;
  readonly #part: PartOf;
  #buffered: Uint8Array[] = [];
  #size = 0;
  /** Whether a record of the period, or from after it, has been found. */
  #hasBegun = false;
  /** The end after the first record from after the period that no record of the period follows. */
  #closed: { readonly size: number; readonly last: number; readonly latest: string } | null = null;

  constructor(file: FileHandle, part: PartOf) {
    this.#file = file;
    this.#part = part;
  }

  /** @returns the time of the record, ISO 8601, or null */
  add(bytes: Uint8Array, seq: number): string | null {
    const record: unknown = JSON.parse(Buffer.from(bytes).toString());
    const time = isObject(record) ? this.#part.timeOf(record) : null;
    const isBefore = time !== null && time < this.#part.from;
    if (isBefore && this.#part.cutsBefore && !this.#hasBegun) this.#restart(seq);
    else if (this.first === 0) this.first = seq;
    this.#buffered.push(bytes, NEWLINE);
    this.#size += bytes.length + 1;
    this.last = seq;
    if (time === null) return null;
    if (this.latest === null || time > this.latest) this.latest = time;
    if (!isBefore) {
      this.#hasBegun = true;
      if (time < this.#part.to) this.#closed = null;
      else this.#closed ??= { size: this.#size, last: seq, latest: this.latest };
    }
    return time;
  }

  /** What was written already is overwritten, and cut off in the end. */
  #restart(seq: number): void {
    this.#buffered = [];
    this.#size = 0;
    this.first = seq;
  }

  /** Call this after each page. */
  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#buffered);
    if (bytes.length > 0) await this.#file.write(bytes, 0, bytes.length, this.#size - bytes.length);
    this.#buffered = [];
  }

  /** Call this after all records. */
  async end(): Promise<void> {
    await this.flush();
    await this.#file.truncate(this.#closed?.size ?? this.#size);
    if (this.#closed === null) return;
    this.last = this.#closed.last;
    this.latest = this.#closed.latest;
  }
}
