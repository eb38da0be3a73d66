const REPLACEMENT = '\uFFFD';

/**
 * Makes streamed text well-formed Unicode. Some servers split a character such as an emoji between its two surrogates. If each piece were made well-formed
 * separately, both halves would become U+FFFD. So a lone first half at the end of a piece waits for the next piece of the same text.
 */
export class TextPieces {
  readonly #held = new Map<string, string>();

  /**
   * Returns the next piece, well-formed. Holds back half a character at its end.
   * @param text identifies the text, if a stream carries several
   */
  push(text: string, piece: string): string {
    const held = this.#held.get(text);
    const joined = held === undefined ? piece : held + piece;
    const last = joined.charCodeAt(joined.length - 1);
    const cut = last >= 0xd800 && last <= 0xdbff;
    if (cut) this.#held.set(text, joined.slice(-1));
    else if (held !== undefined) this.#held.delete(text);
    return (cut ? joined.slice(0, -1) : joined).toWellFormed();
  }

  /** Call this at the end of a text. Returns U+FFFD if half a character was held back, and otherwise an empty string. */
  end(text: string): string {
    return this.#held.delete(text) ? REPLACEMENT : '';
  }
}
