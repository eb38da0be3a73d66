import type { JsonObject, JsonValue } from '@svc/contracts';
import type { Found } from './found.ts';

/** Entity type of a placeholder, or of what looks like one, that stands in a text. */
export const PLACEHOLDER = 'PLACEHOLDER';

/** Names that can stand in a placeholder. */
export const ENTITY_NAME = '^[A-Z][A-Z0-9_]{0,62}$';

const SHAPE = /<([A-Z][A-Z0-9_]{0,62})_([1-9]\d{0,8})>/y;
const LONGEST = 75;
const BEGUN = /^<(?:[A-Z][A-Z0-9_]{0,73})?$/;

/** Finds placeholders: a finder like any other, surer than all. */
export const placeholderFinder = {
  context: 0,
  reach: LONGEST,
  find(text: string, from: number): readonly Found[] {
    const found: Found[] = [];
    for (let at = text.indexOf('<', from); at >= 0; at = text.indexOf('<', at + 1)) {
      SHAPE.lastIndex = at;
      if (SHAPE.test(text)) found.push({ entity_type: PLACEHOLDER, start: at, end: SHAPE.lastIndex, score: 2 });
    }
    return found;
  },
  openFrom(text: string, from: number): number {
    const at = text.lastIndexOf('<');
    const open = at >= from && text.length - at < LONGEST && BEGUN.test(text.slice(at));
    return open ? at : text.length;
  },
};

/** What a placeholder stands for. `own`: the caller's own, which may be shown to him. */
interface Entry {
  readonly entity_type: string;
  readonly number: number;
  /** What makes two values the same; of a text that only looks like a placeholder, that text. */
  readonly key: string;
  readonly value: string;
  readonly literal: boolean;
  own: boolean;
}

/** Where the entries of one entity type stand, by what they are looked for. No names are kept: one text may have 200,000 of them. */
class TypeIndex {
  readonly byNumber = new Map<number, number>();
  readonly byKey = new Map<string, number>();
  readonly literals = new Map<string, number>();
  /** The last number that a value has. */
  last = 0;
}

class EntryIndex {
  readonly #types = new Map<string, TypeIndex>();
  /** Entries that it knows of. */
  size = 0;

  of(entity_type: string): TypeIndex {
    const known = this.#types.get(entity_type) ?? new TypeIndex();
    this.#types.set(entity_type, known);
    return known;
  }

  add(entry: JsonValue | undefined): void {
    const at = this.size;
    this.size += 1;
    if (!isEntry(entry)) return;
    const { entity_type, number, key, literal } = entry;
    const own = this.of(entity_type);
    own.byNumber.set(number, at);
    (literal ? own.literals : own.byKey).set(key, at);
    if (!literal) own.last = Math.max(number, own.last);
  }
}

/** By the entries of a run: to index 60,000 of them again for its answer holds the event loop for 100 ms. */
const indexes = new WeakMap<readonly JsonValue[], EntryIndex>();

function indexOf(entries: readonly JsonValue[]): EntryIndex {
  const known = indexes.get(entries);
  if (known?.size === entries.length) return known;
  const index = new EntryIndex();
  for (const entry of entries) index.add(entry);
  indexes.set(entries, index);
  return index;
}

/**
 * The placeholders of one run, `<PERSON_1>`: numbered by first appearance, the same value always the same. They are kept in the node's
 * state, which is content.
 *
 * A text may already hold what looks like one. That is a value too, unless this run issued it earlier: where its number is free it stands for
 * itself from then on, else it is given the next one. So a placeholder stands for one thing, whoever wrote it.
 */
export class Placeholders {
  readonly #entries: JsonValue[];
  readonly #index: EntryIndex;
  /** How many were there when this object was made. */
  readonly #earlier: number;

  /** Goes on with what `state` holds, and keeps it up to date. */
  constructor(state: JsonObject) {
    const stored = state.placeholders;
    this.#entries = Array.isArray(stored) ? stored : [];
    state.placeholders = this.#entries;
    this.#index = indexOf(this.#entries);
    this.#earlier = this.#entries.length;
  }

  /** The placeholder of a value. `key`: the value in its normal form. */
  issue(entity_type: string, key: string, value: string, own: boolean): string {
    return this.#nameFor(entity_type, key, value, own, false);
  }

  /**
   * What a placeholder stands for that this run issued before this object was made: whoever wrote the text may have seen that. One that
   * was issued since only looks the same.
   */
  earlier(name: string): { readonly value: string; readonly own: boolean } | null {
    const { entity_type, number } = partsOf(name);
    const at = this.#index.of(entity_type).byNumber.get(number) ?? this.#earlier;
    return at < this.#earlier ? this.#entryAt(at) : null;
  }

  /** The value's entry if it was seen in this run. */
  known(entity_type: string, key: string): { readonly own: boolean } | null {
    return this.#entryAt(this.#index.of(entity_type).byKey.get(key));
  }

  /** What stands in place of a text that looks like a placeholder and was not written by this run: itself where that is free. */
  issueLiteral(text: string, own: boolean): string {
    const { entity_type, number } = partsOf(text);
    const { literals, byNumber } = this.#index.of(entity_type);
    if (!literals.has(text) && !byNumber.has(number)) {
      this.#add({ entity_type, number, key: text, value: text, literal: true, own });
      return text;
    }
    return this.#nameFor(entity_type, text, text, own, true);
  }

  #nameFor(entity_type: string, key: string, value: string, own: boolean, literal: boolean): string {
    const index = this.#index.of(entity_type);
    const known = this.#entryAt((literal ? index.literals : index.byKey).get(key));
    if (known !== null) {
      if (own) known.own = true;
      return nameOf(known.entity_type, known.number);
    }
    let number = index.last;
    do number += 1;
    while (index.byNumber.has(number));
    index.last = number;
    this.#add({ entity_type, number, key, value, literal, own });
    return nameOf(entity_type, number);
  }

  #add(entry: Entry): void {
    this.#entries.push({ ...entry });
    this.#index.add(this.#entries.at(-1));
  }

  #entryAt(at: number | undefined): Entry | null {
    const entry = this.#entries[at ?? -1];
    return isEntry(entry) ? entry : null;
  }
}

function nameOf(entity_type: string, number: number): string {
  return `<${entity_type}_${number}>`;
}

function partsOf(name: string): { entity_type: string; number: number } {
  const [, entity_type = '', number = ''] = /^<(.+)_(\d+)>$/.exec(name) ?? [];
  return { entity_type, number: Number(number) };
}

function isEntry(value: JsonValue | undefined): value is JsonObject & Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value.number === 'number';
}
