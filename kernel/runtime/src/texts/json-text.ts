import type { Steps } from '@svc/contracts';
import { JsonScan, type JsonScanOptions, type Range } from './json-scan.ts';
import type { Leaf, LeafHome } from './leaf.ts';

/** The span of a leaf, and its new text. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly written: string;
}

/**
 * JSON in a text. A leaf is a span of the text. Everything else needs no object, and what is not edited keeps its bytes, such as the digits of a
 * number.
 *
 * In `normal` form, only the last value of a repeated key is kept, so that no unchecked value reaches a tool. In `verbatim` form, all values are
 * leaves, because a model reads all of them.
 */
export class JsonText implements LeafHome {
  readonly leaves: Leaf[] = [];
  readonly #whole: Leaf;
  readonly #options: JsonScanOptions;
  readonly #changes = new Map<number, Change>();
  #text = '';
  #spans: readonly number[] = [];

  private constructor(whole: Leaf, options: JsonScanOptions) {
    this.#whole = whole;
    this.#options = options;
  }

  /** @param whole the text, with few levels; in `normal` form, it is rewritten at once and after each change @returns null if it is not JSON */
  static read(whole: Leaf, options: JsonScanOptions): JsonText | null {
    const read = new JsonText(whole, options);
    const repeated = read.#scan(whole.text);
    if (repeated === null) return null;
    if (options.form === 'verbatim') return read;
    // Scans again, because removing repeated members changes the positions of the others.
    if (repeated.length > 0) read.#scan(without(repeated, whole.text));
    read.#put(read.#text);
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

  *flush(): Steps<LeafHome> {
    const pieces: string[] = [];
    let from = 0;
    for (const { start, end, written } of [...this.#changes.values()].sort((a, b) => a.start - b.start)) {
      pieces.push(this.#text.slice(from, start), written);
      from = end;
      yield;
    }
    pieces.push(this.#text.slice(from));
    this.#put(pieces.join(''));
    return this.#whole.home;
  }

  #put(text: string): void {
    this.#whole.text = text;
    this.#whole.home.write(this.#whole);
  }

  /** @returns the members that are followed by one with the same key; null if the text is not JSON */
  #scan(text: string): readonly Range[] | null {
    const { path, holder, role, is_thinking, origin, kind: own } = this.#whole;
    this.leaves.length = 0;
    const scan = new JsonScan(text, this.#options, (kind, is_number, found, place) => {
      // If the whole text is one quoted string, it keeps its kind.
      const isWhole = this.#options.form === 'verbatim' && place === path;
      const slot = this.leaves.length;
      const leaf = { text: found, kind: isWhole ? own : kind, is_number, path: place, home: this, slot };
      this.leaves.push({ ...leaf, holder, role, is_thinking, origin });
    });
    const written = scan.run(path);
    if (written === null) return null;
    this.#text = written;
    this.#spans = scan.spans;
    return scan.repeated;
  }
}

/** Removes ranges, which may be nested. */
function without(ranges: readonly Range[], text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    if (start >= from) pieces.push(text.slice(from, start));
    from = Math.max(from, end);
  }
  return pieces.join('') + text.slice(from);
}
