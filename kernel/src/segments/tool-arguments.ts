import { ArgumentScan } from './argument-scan.ts';
import type { Leaf, LeafHome } from './leaf.ts';

/** JSON.rawJSON and the reviver's source text (ES2026), which TypeScript's es2024 library does not declare. */
const json = JSON as typeof JSON & { rawJSON(text: string): unknown };

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
  readonly #text: string;
  readonly #spans: readonly number[];
  readonly #changes = new Map<number, Change>();
  readonly #put: (text: string) => void;

  /**
   * @param text JSON of few levels
   * @param numbers whether numbers are leaves too
   * @param put takes the arguments' text, now and after each change
   */
  constructor(text: string, numbers: boolean, at: Pick<Leaf, 'path' | 'holder'>, put: (text: string) => void) {
    const once = this.#scan(text, numbers, at);
    const scan = once.repeats ? this.#scan(JSON.stringify(JSON.parse(text, withDigits)), numbers, at) : once;
    this.#text = scan.written;
    this.#spans = scan.spans;
    this.#put = put;
    put(this.#text);
  }

  /** An edited number becomes a string. */
  write({ slot, text }: Leaf): void {
    const at = 2 * Number(slot);
    const [start = 0, end = 0] = this.#spans.slice(at, at + 2);
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

  #scan(text: string, numbers: boolean, { path, holder }: Pick<Leaf, 'path' | 'holder'>): ArgumentScan {
    this.leaves.length = 0;
    return new ArgumentScan(text, numbers, path, (kind, is_number, found, place) => {
      this.leaves.push({ text: found, kind, is_number, path: place, holder, home: this, slot: this.leaves.length });
    });
  }
}

function withDigits(_key: string, value: unknown, ...[context]: { source?: string }[]): unknown {
  return typeof value === 'number' && context?.source !== undefined ? json.rawJSON(context.source) : value;
}
