import type { JsonObject } from '@svc/contracts';
import type { Found } from './found.ts';
import { bookOf, type Issued, type PlaceholderBook } from './placeholder-book.ts';

/** Entity type of text that is a placeholder or looks like one. */
export const PLACEHOLDER = 'PLACEHOLDER';

/** Pattern for the entity names that a placeholder may have. */
export const ENTITY_NAME = '^[A-Z][A-Z0-9_]{0,62}$';

const SHAPE = /<([A-Z][A-Z0-9_]{0,62})_([1-9]\d{0,8})>/y;
const LONGEST = 75;
const BEGUN = /^<(?:[A-Z][A-Z0-9_]{0,73})?$/;

/** A finder for placeholders, with a higher score than all others. */
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

/**
 * The placeholders of one run, such as `<PERSON_1>`, numbered by first appearance. Equal values get the same placeholder. Placeholders are kept in
 * the node's state, which is content.
 *
 * A text may contain something that looks like a placeholder. Unless this run issued it earlier, it counts as a value: it keeps its number if that is
 * free, and otherwise gets the next one. So each placeholder has one meaning, regardless of who wrote it.
 */
export class Placeholders {
  readonly #book: PlaceholderBook;
  /** The placeholders that existed when this object was created. */
  readonly #earlier: Issued;

  /** Continues from `state`, and keeps it up to date. */
  constructor(state: JsonObject) {
    this.#book = bookOf(state);
    this.#earlier = this.#book.issued();
  }

  /** The placeholder of a value. `key`: the value in its normal form. */
  issue(entity_type: string, key: string, value: string, own: boolean): string {
    return this.#nameFor(entity_type, key, value, own, false);
  }

  /**
   * The value of a placeholder that this run issued before this object was created, so the author of the text may have seen it. A placeholder that
   * was issued later only looks the same.
   */
  earlier(name: string): { readonly value: string; readonly own: boolean } | null {
    const { entity_type, number } = partsOf(name);
    return this.#book.numberedBy(this.#earlier, entity_type, number);
  }

  /** The entry of a value, if the value has occurred in this run. */
  known(entity_type: string, key: string): { readonly own: boolean } | null {
    const { values } = this.#book.of(entity_type);
    const at = values.at(key);
    return at === undefined ? null : { own: values.isOwn(at) };
  }

  /** The replacement of text that looks like a placeholder but was not issued by this run. It is the text itself, if the number is free. */
  issueLiteral(text: string, own: boolean): string {
    const { entity_type, number } = partsOf(text);
    const type = this.#book.of(entity_type);
    if (type.literals?.at(text) === undefined && !type.isTaken(number)) {
      type.withLiterals().add(text, text, number, own);
      return text;
    }
    return this.#nameFor(entity_type, text, text, own, true);
  }

  #nameFor(entity_type: string, key: string, value: string, own: boolean, isLiteral: boolean): string {
    const type = this.#book.of(entity_type);
    const rows = isLiteral ? type.withLiterals() : type.values;
    const at = rows.at(key);
    if (at !== undefined) {
      if (own) rows.setOwn(at);
      return nameOf(entity_type, rows.number(at));
    }
    const number = type.nextNumber();
    rows.add(key, value, number, own);
    return nameOf(entity_type, number);
  }
}

function nameOf(entity_type: string, number: number): string {
  return `<${entity_type}_${number}>`;
}

function partsOf(name: string): { entity_type: string; number: number } {
  const [, entity_type = '', number = ''] = /^<(.+)_(\d+)>$/.exec(name) ?? [];
  return { entity_type, number: Number(number) };
}
