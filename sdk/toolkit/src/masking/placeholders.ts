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

/**
 * The placeholders of one run, `<PERSON_1>`: numbered by first appearance, the same value always the same. They are kept in the node's
 * state, which is content.
 *
 * A text may already hold what looks like one. That is a value too, unless this run issued it earlier: where its number is free it stands for
 * itself from then on, else it is given the next one. So a placeholder stands for one thing, whoever wrote it.
 */
export class Placeholders {
  readonly #entries: JsonValue[];
  readonly #byName = new Map<string, Entry>();
  readonly #byKey = new Map<string, Entry>();
  readonly #last = new Map<string, number>();
  /** Those that were there when this object was made. */
  readonly #earlier: ReadonlySet<string>;

  /** Goes on with what `state` holds, and keeps it up to date. */
  constructor(state: JsonObject) {
    const stored = state.placeholders;
    this.#entries = Array.isArray(stored) ? stored : [];
    state.placeholders = this.#entries;
    for (const entry of this.#entries) if (isEntry(entry)) this.#index(entry);
    this.#earlier = new Set(this.#byName.keys());
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
    return this.#earlier.has(name) ? (this.#byName.get(name) ?? null) : null;
  }

  /** The value's entry if it was seen in this run. */
  known(entity_type: string, key: string): { readonly own: boolean } | null {
    return this.#byKey.get(keyOf(entity_type, key, false)) ?? null;
  }

  /** What stands in place of a text that looks like a placeholder and was not written by this run: itself where that is free. */
  issueLiteral(text: string, own: boolean): string {
    const [, entity_type = '', number = ''] = /^<(.+)_(\d+)>$/.exec(text) ?? [];
    const known = this.#byKey.get(keyOf(entity_type, text, true));
    if (known === undefined && !this.#byName.has(text)) {
      this.#add({ entity_type, number: Number(number), key: text, value: text, literal: true, own });
      return text;
    }
    return this.#nameFor(entity_type, text, text, own, true);
  }

  #nameFor(entity_type: string, key: string, value: string, own: boolean, literal: boolean): string {
    const known = this.#byKey.get(keyOf(entity_type, key, literal));
    if (known !== undefined) {
      if (own) known.own = true;
      return nameOf(known.entity_type, known.number);
    }
    let number = this.#last.get(entity_type) ?? 0;
    do number += 1;
    while (this.#byName.has(nameOf(entity_type, number)));
    this.#last.set(entity_type, number);
    this.#add({ entity_type, number, key, value, literal, own });
    return nameOf(entity_type, number);
  }

  #add(entry: Entry): void {
    this.#entries.push({ ...entry });
    const stored = this.#entries.at(-1);
    if (isEntry(stored)) this.#index(stored);
  }

  #index(entry: Entry): void {
    this.#byName.set(nameOf(entry.entity_type, entry.number), entry);
    this.#byKey.set(keyOf(entry.entity_type, entry.key, entry.literal), entry);
    if (!entry.literal) this.#last.set(entry.entity_type, Math.max(entry.number, this.#last.get(entry.entity_type) ?? 0));
  }
}

function nameOf(entity_type: string, number: number): string {
  return `<${entity_type}_${number}>`;
}

function keyOf(entity_type: string, key: string, literal: boolean): string {
  return `${literal ? '=' : ''}${entity_type} ${key}`;
}

function isEntry(value: JsonValue | undefined): value is JsonObject & Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value.number === 'number';
}
