import type { Hit, QuickSearch } from './detector.ts';
import type { Prefixed } from './formats.ts';
import { Pairs } from './pairs.ts';

interface Entry {
  readonly detector: Prefixed;
  readonly prefix: string;
  readonly whole: RegExp;
  readonly begun: RegExp;
}

const ASCII = 128;
const IS_WORD: readonly boolean[] = Array.from({ length: ASCII }, (_, code) => /\w/.test(String.fromCharCode(code)));

/**
 * Searches a text for secrets that begin with a text of their own, in one pass. It stops only at the starts of words whose first two characters begin
 * such a text.
 */
export class PrefixSearch implements QuickSearch {
  readonly context = 1;
  /** From the start of a secret to the character after the part that makes it certain. */
  readonly reach: number;
  /** By the codes of their first two characters. Longer prefixes come first. */
  readonly #entries = new Map<number, Entry[]>();
  readonly #isFirst: boolean[] = Array.from({ length: ASCII }, () => false);
  readonly #pairs: Pairs;

  constructor(detectors: readonly Prefixed[]) {
    this.reach = Math.max(1, ...detectors.map(({ secret }) => secret.longest + 1));
    const entries = detectors.flatMap((detector) => {
      const whole = new RegExp(detector.secret.whole, 'y');
      const begun = new RegExp(detector.secret.begun, 'y');
      return detector.prefixes.map((prefix) => ({ detector, prefix, whole, begun }));
    });
    this.#pairs = new Pairs(entries.map(({ prefix }) => prefix.slice(0, 2)));
    for (const entry of entries.toSorted((a, b) => b.prefix.length - a.prefix.length)) {
      this.#isFirst[entry.prefix.charCodeAt(0)] = true;
      const key = keyOf(entry.prefix, 0);
      const alike = this.#entries.get(key);
      if (alike === undefined) this.#entries.set(key, [entry]);
      else alike.push(entry);
    }
  }

  /** The secrets that start at `from` or later, from left to right. */
  *hits(text: string, from: number): Generator<Hit> {
    for (let at = this.#next(text, from); at >= 0; at = this.#next(text, at + 1)) {
      const hit = this.#hitAt(text, at);
      if (hit !== null) yield hit;
    }
  }

  /** Whether a secret may start at `from` or later. */
  isLikely(text: string, from: number): boolean {
    for (let at = this.#next(text, from); at >= 0; at = this.#next(text, at + 1)) {
      if (this.#entries.get(keyOf(text, at))?.some(({ prefix }) => text.startsWith(prefix, at))) return true;
    }
    return false;
  }

  /** Where a secret begins that more text could complete, but not before `from`. The text's length if there is none. */
  openFrom(text: string, from: number): number {
    const least = Math.max(from, text.length - this.reach);
    for (let at = this.#next(text, least); at >= 0; at = this.#next(text, at + 1)) {
      if (this.#entries.get(keyOf(text, at))?.some(({ begun }) => isAt(begun, text, at))) return at;
    }
    const last = text.length - 1;
    return last >= least && this.#isFirst[text.charCodeAt(last)] && isStart(text, last) ? last : text.length;
  }

  #hitAt(text: string, at: number): Hit | null {
    for (const { detector, prefix, whole } of this.#entries.get(keyOf(text, at)) ?? []) {
      if (!text.startsWith(prefix, at) || !isAt(whole, text, at)) continue;
      const end = whole.lastIndex;
      const score = detector.judge?.(text.slice(at, end), '') ?? 1;
      if (score > 0) return { detector, start: at, end, score };
    }
    return null;
  }

  /** The next start of a word whose first two characters begin a prefix. -1 if there is none. */
  #next(text: string, from: number): number {
    for (let at = this.#pairs.next(text, from); at >= 0; at = this.#pairs.next(text, at + 1)) {
      if (isStart(text, at) && this.#entries.has(keyOf(text, at))) return at;
    }
    return -1;
  }
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function isStart(text: string, at: number): boolean {
  return at === 0 || !IS_WORD[text.charCodeAt(at - 1)];
}

function keyOf(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}
