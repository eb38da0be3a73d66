import { isObject, type JsonObject, type JsonValue } from '@svc/contracts';
import { PlaceholderRows, type Row } from './placeholder-rows.ts';

/** The placeholders of one entity type. */
class PlaceholderType {
  readonly values: PlaceholderRows;
  /** Texts that looked like placeholders when they arrived. Most runs have none. */
  literals: PlaceholderRows | null;
  readonly #stored: JsonObject;

  constructor(stored: JsonObject) {
    this.#stored = stored;
    this.values = new PlaceholderRows(stored, true);
    this.literals = stored.literals === undefined ? null : this.withLiterals();
  }

  get isCurrent(): boolean {
    return this.values.isCurrent && this.literals?.isCurrent !== false;
  }

  withLiterals(): PlaceholderRows {
    this.literals ??= new PlaceholderRows(objectIn(this.#stored, 'literals'), false);
    return this.literals;
  }

  isTaken(number: number): boolean {
    return this.values.numbered(number) !== null || this.literals?.numbered(number) != null;
  }

  /** The next free number. */
  nextNumber(): number {
    let number = this.values.last;
    do number += 1;
    while (this.literals?.numbered(number) != null);
    return number;
  }
}

/** How many values and literals of each entity type had been issued at a point in time. */
export type Issued = ReadonlyMap<string, readonly [values: number, literals: number]>;

/** All placeholders of a run, by entity type. */
export class PlaceholderBook {
  readonly #stored: JsonObject;
  readonly #types = new Map<string, PlaceholderType>();

  /** Continues from `stored`, and keeps it up to date. */
  constructor(stored: JsonObject) {
    this.#stored = stored;
    for (const entity_type of Object.keys(stored)) this.of(entity_type);
  }

  /** Whether only this object has changed the stored data. */
  get isCurrent(): boolean {
    return Object.keys(this.#stored).every((entity_type) => this.#types.get(entity_type)?.isCurrent === true);
  }

  of(entity_type: string): PlaceholderType {
    const known = this.#types.get(entity_type);
    if (known !== undefined) return known;
    const opened = new PlaceholderType(objectIn(this.#stored, entity_type));
    this.#types.set(entity_type, opened);
    return opened;
  }

  issued(): Issued {
    const issued = new Map<string, readonly [values: number, literals: number]>();
    for (const [name, { values, literals }] of this.#types) issued.set(name, [values.length, literals?.length ?? 0]);
    return issued;
  }

  /** The row with this number, if it had been issued at that time. */
  numberedBy(issued: Issued, entity_type: string, number: number): Row | null {
    const [values, literals] = issued.get(entity_type) ?? [0, 0];
    if (values + literals === 0) return null;
    const own = this.of(entity_type);
    return own.values.numbered(number, values) ?? own.literals?.numbered(number, literals) ?? null;
  }
}

/** Books by the stored data of a run. Rebuilding the index of 60,000 values for the run's answer would block the event loop for 100 ms. */
const books = new WeakMap<JsonObject, PlaceholderBook>();

/** The placeholders in a node's state. */
export function bookOf(state: JsonObject): PlaceholderBook {
  if (Array.isArray(state.placeholders)) state.placeholders = inColumns(state.placeholders);
  const stored = objectIn(state, 'placeholders');
  const known = books.get(stored);
  if (known?.isCurrent === true) return known;
  const book = new PlaceholderBook(stored);
  books.set(stored, book);
  return book;
}

/** Converts the format of earlier releases, which had one object per placeholder. A stored paused run may have it. */
function inColumns(entries: readonly JsonValue[]): JsonObject {
  const stored: JsonObject = {};
  const book = new PlaceholderBook(stored);
  for (const entry of entries) {
    if (!isObject(entry)) continue;
    const { entity_type, number, key, value, literal, own } = entry;
    const type = book.of(String(entity_type));
    (literal === true ? type.withLiterals() : type.values).add(String(key), String(value), Number(number), own === true);
  }
  return stored;
}

function objectIn(stored: JsonObject, name: string): JsonObject {
  const known = Object.hasOwn(stored, name) ? stored[name] : undefined;
  if (isObject(known)) return known;
  const own: JsonObject = {};
  stored[name] = own;
  return own;
}
