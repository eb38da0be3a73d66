import type { Finder } from './finder.ts';

/** One neighbour of each kind that `^`, `$`, `\b` and `\B` distinguish: none, a line break, a word character, any other. */
const NEIGHBOURS: readonly string[] = ['', '\n', 'a', ' '];
export const CONTEXTS: readonly (readonly [before: string, after: string])[] = NEIGHBOURS.flatMap((before) =>
  NEIGHBOURS.map((after) => [before, after] as const),
);

/** Only these characters are distinguished, because the case of another character may fold to one of them. */
const ASCII = 128;

/**
 * The characters that may begin a match, of which most texts have few. One character is enough to tell, because the first character of a match is
 * always a possible beginning.
 */
export class Starts {
  readonly #finder: Pick<Finder, 'find' | 'openFrom'>;
  /** Whether a match may begin with a character, cached by code. */
  readonly #known: (boolean | undefined)[] = new Array(ASCII).fill(undefined);

  constructor(finder: Pick<Finder, 'find' | 'openFrom'>) {
    this.#finder = finder;
  }

  /** Whether a match may begin in the text, judged by its characters alone. */
  areIn(text: string): boolean {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code >= ASCII) return true;
      if (this.#known[code] ?? this.#learn(code)) return true;
    }
    return false;
  }

  #learn(code: number): boolean {
    const { find, openFrom } = this.#finder;
    const character = String.fromCharCode(code);
    const isBegun = NEIGHBOURS.some((before) => openFrom(before + character, before.length) === before.length);
    const isMatch = ([before, after]: readonly [string, string]): boolean =>
      [...find(before + character + after, before.length)].some(({ start }) => start === before.length);
    const may = isBegun || CONTEXTS.some(isMatch);
    this.#known[code] = may;
    return may;
  }
}
