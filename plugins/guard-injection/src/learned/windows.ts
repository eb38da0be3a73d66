/** Lengths of the scored windows, in consecutive blocks. Short windows are needed because a short attack barely changes the score of a long text. */
const LENGTHS = [1, 2, 3, 4, 6, 8, 12];

/** Blocks `from` (inclusive) to `to` (exclusive). */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The windows of a text of so many blocks. The whole text is one if it is short. */
export function* windowsOf(blocks: number): Generator<Window> {
  for (const length of LENGTHS) {
    if (length >= blocks) {
      yield { from: 0, to: blocks };
      return;
    }
    for (let from = 0; from + length <= blocks; from += 1) yield { from, to: from + length };
  }
}
