/** So many pieces are joined at a time. */
const PIECES = 64;

/** A text that grows by small pieces. Joined by `+` it would be a tree of all of them, some 60 bytes for a word, until somebody reads it. */
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
