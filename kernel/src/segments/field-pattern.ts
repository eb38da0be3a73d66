import { isKnownField, isName, isStructural, isToolArguments, opaqueKind } from './fields.ts';

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

  items(): FieldPattern {
    return this.#child('*');
  }

  member(key: string): FieldPattern {
    return this.#child(isKnownField(key) ? key : '?');
  }

  isStructural(value: string): boolean {
    return isStructural(this.#of, this.text, value);
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
