import { ArgumentScan, type Range } from './argument-scan.ts';
import type { Leaf, LeafHome } from './leaf.ts';

/** A leaf's span of the arguments' text, and what stands there now. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly written: string;
}

/**
 * A tool call's arguments in one form: numbers with the digits that they were written with, and of a key that is given twice only the last
 * value, so that no value reaches a tool unseen. Leaves are spans of that text: what is no leaf costs no object.
 */
export class ToolArguments implements LeafHome {
  readonly leaves: Leaf[] = [];
  readonly #put: (text: string) => void;
  readonly #changes = new Map<number, Change>();
  #text = '';
  #spans: readonly number[] = [];

  private constructor(put: (text: string) => void) {
    this.#put = put;
  }

  /**
   * @param text of few levels
   * @param numbers whether numbers are leaves too
   * @param put takes the arguments' text, now and after each change
   * @returns null where the text is not JSON
   */
  static read(
    text: string,
    numbers: boolean,
    at: Pick<Leaf, 'path' | 'holder'>,
    put: (text: string) => void,
  ): ToolArguments | null {
    const read = new ToolArguments(put);
    const repeated = read.#scan(text, numbers, at);
    if (repeated === null) return null;
    // The members that are left, of which none is repeated, have other positions.
    if (repeated.length > 0) read.#scan(without(repeated, text), numbers, at);
    put(read.#text);
    return read;
  }

  /** An edited number becomes a string. */
  write({ slot, text }: Leaf): void {
    const at = 2 * Number(slot);
    const start = this.#spans[at] ?? 0;
    const end = this.#spans[at + 1] ?? 0;
    const before = this.#text.slice(start, end);
    this.#changes.set(at, { start, end, written: before === text && !before.startsWith('"') ? before : JSON.stringify(text) });
  }

  flush(): void {
    const pieces: string[] = [];
    let from = 0;
    for (const { start, end, written } of [...this.#changes.values()].sort((a, b) => a.start - b.start)) {
      pieces.push(this.#text.slice(from, start), written);
      from = end;
    }
    pieces.push(this.#text.slice(from));
    this.#put(pieces.join(''));
  }

  /** @returns the members that others of the same key come after; null where the text is not JSON */
  #scan(text: string, numbers: boolean, { path, holder }: Pick<Leaf, 'path' | 'holder'>): readonly Range[] | null {
    this.leaves.length = 0;
    const scan = new ArgumentScan(text, numbers, (kind, is_number, found, place) => {
      this.leaves.push({ text: found, kind, is_number, path: place, holder, home: this, slot: this.leaves.length });
    });
    const written = scan.run(path);
    if (written === null) return null;
    this.#text = written;
    this.#spans = scan.spans;
    return scan.repeated;
  }
}

/** Ranges may lie in one another. */
function without(ranges: readonly Range[], text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    if (start >= from) pieces.push(text.slice(from, start));
    from = Math.max(from, end);
  }
  return pieces.join('') + text.slice(from);
}
