const REPLACEMENT = '\uFFFD';

/**
 * Joins the pieces of streamed texts to well-formed Unicode. Some servers cut a text between the two halves (surrogates) of one
 * character, an emoji for example: made well-formed piece by piece, that one character would become two U+FFFD. So a first half at the
 * end of a piece waits for the next piece of the same text.
 */
export class TextPieces {
  readonly #held = new Map<string, string>();

  /**
   * The next piece, well-formed; a half character at its end is held back.
   * @param text tells which text the piece belongs to, where a stream carries several
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

  /** To be called when the text has ended: what is left of it, which is nothing or U+FFFD. */
  end(text: string): string {
    return this.#held.delete(text) ? REPLACEMENT : '';
  }
}
