import { Tokenizer } from '@huggingface/tokenizers';

/** Turns a text into the windows of tokens that a model reads. */
export class Windows {
  readonly #tokenizer: Tokenizer;
  readonly #prefix: readonly number[];
  readonly #suffix: readonly number[];
  /** Tokens of the text in a window. */
  readonly #room: number;

  /**
   * @param length tokens that the model reads, with the special ones
   * @throws {Error} if the tokenizer is not usable, or leaves no room for a text
   */
  constructor(tokenizer: object, config: object, length: number) {
    this.#tokenizer = new Tokenizer(tokenizer, config);
    const [bare, whole] = [false, true].map((add_special_tokens) => this.#tokenizer.encode('a', { add_special_tokens }).ids);
    const at = startOf(bare ?? [], whole ?? []);
    if (bare === undefined || whole === undefined || at === -1) throw new Error('it has no token for the letter a');
    this.#prefix = whole.slice(0, at);
    this.#suffix = whole.slice(at + bare.length);
    this.#room = length - this.#prefix.length - this.#suffix.length;
    if (this.#room < 8) throw new Error(`the special tokens leave no room for text within ${length} tokens`);
  }

  /** Each window begins with the last quarter of the one before it. */
  *of(text: string): Generator<readonly number[]> {
    const { ids } = this.#tokenizer.encode(text, { add_special_tokens: false });
    const stride = this.#room - Math.floor(this.#room / 4);
    let start = 0;
    do {
      yield [...this.#prefix, ...ids.slice(start, start + this.#room), ...this.#suffix];
      start += stride;
    } while (start + this.#room - stride < ids.length);
  }
}

/** Where the tokens of a text begin among those with the special ones. */
function startOf(bare: readonly number[], whole: readonly number[]): number {
  if (bare.length === 0) return -1;
  return whole.findIndex((_, start) => bare.every((id, n) => whole[start + n] === id));
}
