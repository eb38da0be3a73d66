import { JSON_VALUE_BYTES } from '@svc/contracts';
import { malformed } from '../../upstream-error/index.ts';
import { BREAK } from './reasoning.ts';

/** Records the received pieces of each text, so that the final text adds only what is missing. */
export class SeenTexts {
  readonly #said = new Map<string, string>();
  readonly #begins = new Map<string, number>();
  #item: number | null = null;
  #length = 0;
  held = 0;

  /**
   * Takes a piece of one of the texts that are concatenated.
   * @param item a break is inserted when the item changes
   * @returns the piece, with a break before it if one is inserted
   */
  push(name: string, text: unknown, item: number): string {
    const piece = this.note(name, text);
    const before = this.#length > 0 && this.#item !== item ? BREAK : '';
    if (!this.#begins.has(name)) this.#begins.set(name, this.#length + before.length);
    this.#item = item;
    this.#length += before.length + piece.length;
    return before + piece;
  }

  /** Like {@link push}, but takes the complete text and returns the rest of it. */
  rest(name: string, text: unknown, item: number): string {
    const missing = this.#missing(name, text);
    return missing === '' ? '' : this.push(name, missing, item);
  }

  /** Takes a piece of a text that stands alone. */
  note(name: string, text: unknown): string {
    const piece = textOf(text);
    this.#said.set(name, (this.#said.get(name) ?? '') + piece);
    this.held += piece.length + JSON_VALUE_BYTES;
    return piece;
  }

  restOf(name: string, text: unknown): string {
    return this.note(name, this.#missing(name, text));
  }

  /** Where a text begins among the concatenated texts. */
  beginOf(name: string): number {
    return this.#begins.get(name) ?? this.#length;
  }

  /** The rest of the final text after the received pieces. Empty if the final text contradicts them. */
  #missing(name: string, text: unknown): string {
    const said = this.#said.get(name) ?? '';
    const whole = textOf(text);
    return whole.startsWith(said) ? whole.slice(said.length) : '';
  }
}

/** @throws {ProviderError} `malformed` */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw malformed('a text that is not a string');
  return value;
}
