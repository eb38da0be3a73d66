import type { JsonObject, JsonValue } from '@svc/contracts';

/** The value of a placeholder. `own`: the value came from the caller, so the caller may see it. */
export interface Row {
  readonly value: string;
  readonly own: boolean;
}

interface Columns {
  readonly values: JsonValue[];
  readonly keys: JsonValue[];
  readonly numbers: JsonValue[];
  readonly own: JsonValue[];
}

/**
 * Values and the numbers of their placeholders, in the order in which they were issued. They are stored as columns of plain data: a text may have
 * 300,000 of them, and an object for each would take twice the memory.
 */
export class PlaceholderRows {
  readonly #stored: JsonObject;
  /** `keys` has what identifies each value. Null if that is the value itself. */
  #columns: Columns | null;
  readonly #byKey = new Map<string, number>();
  /** Null if numbers are ascending, because rows are then found by binary search. */
  readonly #byNumber: Map<number, number> | null;

  /** Continues from the columns in `stored`, and keeps them up to date. */
  constructor(stored: JsonObject, isAscending: boolean) {
    this.#stored = stored;
    this.#byNumber = isAscending ? null : new Map();
    this.#columns = isColumns(stored) ? stored : null;
    for (let at = 0; at < this.length; at++) this.#index(at);
  }

  get length(): number {
    return this.#columns?.values.length ?? 0;
  }

  /** Whether only this object has changed the columns. */
  get isCurrent(): boolean {
    return this.#byKey.size === this.length;
  }

  /** The highest number, if numbers are ascending. 0 if there is none. */
  get last(): number {
    return this.number(this.length - 1);
  }

  /** The index of the value with this key. */
  at(key: string): number | undefined {
    return this.#byKey.get(key);
  }

  number(at: number): number {
    return Number(this.#columns?.numbers[at] ?? 0);
  }

  isOwn(at: number): boolean {
    return this.#columns?.own[at] === true;
  }

  setOwn(at: number): void {
    if (this.#columns !== null) this.#columns.own[at] = true;
  }

  /** The row with this number among the first `count`. */
  numbered(number: number, count = this.length): Row | null {
    const at = this.#byNumber === null ? this.#halved(number) : (this.#byNumber.get(number) ?? count);
    return at < count && this.number(at) === number ? { value: String(this.#columns?.values[at]), own: this.isOwn(at) } : null;
  }

  /** Adds a value. The key must be new. */
  add(key: string, value: string, number: number, own: boolean): void {
    const written = key === value ? null : key;
    if (this.#columns === null) {
      // Most types have one value, and an empty array that grows would allocate space for 17.
      this.#columns = Object.assign(this.#stored, { values: [value], keys: [written], numbers: [number], own: [own] });
    } else {
      const { values, keys, numbers, own: ofCaller } = this.#columns;
      values.push(value);
      keys.push(written);
      numbers.push(number);
      ofCaller.push(own);
    }
    this.#index(this.length - 1);
  }

  #index(at: number): void {
    this.#byKey.set(String(this.#columns?.keys[at] ?? this.#columns?.values[at]), at);
    this.#byNumber?.set(this.number(at), at);
  }

  /** The first index that has this number or a higher one. */
  #halved(number: number): number {
    let low = 0;
    for (let high = this.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.number(middle) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isColumns(stored: JsonObject): stored is JsonObject & Columns {
  return ['values', 'keys', 'numbers', 'own'].every((name) => Array.isArray(stored[name]));
}
