import { idKind, isKnownField, isName, isToolArguments, mayBeJsonOf, opaqueKind } from './fields.ts';
import { fitsQuantity, isOwn, isQuantity, vocabularyOf } from './vocabulary.ts';

/**
 * A place of the chat format as the field lists have it, with `*` for indexes and `?` for keys that callers chose. Made once for all values
 * that stand in places like it, and each question about the place is answered once.
 */
export class FieldPattern {
  readonly text: string;
  readonly #of: 'request' | 'answer';
  readonly #children = new Map<string, FieldPattern>();
  #arguments: boolean | undefined;
  #name: boolean | undefined;
  #own: boolean | undefined;
  #quantity: boolean | undefined;
  #vocabulary: ReadonlySet<string> | undefined;
  #id: ReturnType<typeof idKind> | undefined;
  #json: ReturnType<typeof mayBeJsonOf> | undefined;

  constructor(of: 'request' | 'answer', text = '') {
    this.#of = of;
    this.text = text;
  }

  /** Whether its members are messages or choices. */
  get holds(): boolean {
    return this.text === 'messages' || this.text === 'choices';
  }

  get isToolArguments(): boolean {
    this.#arguments ??= isToolArguments(this.text);
    return this.#arguments;
  }

  get isName(): boolean {
    this.#name ??= isName(this.text);
    return this.#name;
  }

  /** Whether a string of this role's may be JSON that its reader takes as it stands. */
  mayBeJson(role: string | null): boolean {
    if (this.#json === undefined) this.#json = mayBeJsonOf(this.text);
    return this.#json === 'anyone' || (this.#json === 'tool' && (role === 'tool' || role === 'function'));
  }

  items(): FieldPattern {
    return this.#child('*');
  }

  member(key: string): FieldPattern {
    return this.#child(isKnownField(key) ? key : '?');
  }

  get idKind(): ReturnType<typeof idKind> {
    if (this.#id === undefined) this.#id = idKind(this.text);
    return this.#id;
  }

  /** Whether the gateway itself writes this place. */
  get isOwn(): boolean {
    this.#own ??= isOwn(this.#of, this.text);
    return this.#own;
  }

  /** Whether the value is one of the few that the format has for this place. */
  isListed(value: string): boolean {
    this.#vocabulary ??= vocabularyOf(this.#of, this.text);
    return this.#vocabulary.has(value);
  }

  /** Whether the number is too short to be more than the quantity that belongs in this place. */
  isPlainQuantity(digits: string): boolean {
    this.#quantity ??= isQuantity(this.#of, this.text);
    return this.#quantity && fitsQuantity(digits);
  }

  opaqueKind(value: string): ReturnType<typeof opaqueKind> {
    return opaqueKind(this.text, value);
  }

  #child(step: string): FieldPattern {
    const known = this.#children.get(step);
    if (known !== undefined) return known;
    const child = new FieldPattern(this.#of, this.text === '' ? step : `${this.text}.${step}`);
    this.#children.set(step, child);
    return child;
  }
}
