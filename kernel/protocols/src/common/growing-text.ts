/** Number of pieces joined at once. */
const PIECES = 64;

/** A text built from small pieces. Concatenation with `+` would keep a tree of all pieces, about 60 bytes per word, until the text is read. */
export class GrowingText {
  readonly #joined: string[] = [];
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#pieces.length < PIECES) return;
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  toString(): string {
    return [...this.#joined, ...this.#pieces].join('');
  }
}
