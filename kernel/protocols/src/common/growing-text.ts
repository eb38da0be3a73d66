/** Number of pieces that are joined at a time. */
const PIECES = 64;

/** A text that grows by small pieces. Concatenated with `+`, it would be a tree of all pieces, some 60 bytes a word, until it is read. */
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
