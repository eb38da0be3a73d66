import type { Clause } from './needs.ts';

const SIZE = 65_536;

const pairAt = (text: string, at: number): number => ((text.charCodeAt(at) << 7) ^ text.charCodeAt(at + 1)) & 0xffff;
const fourOf = (first: number, second: number): number => (Math.imul(first, 0x9e37_79b1) ^ Math.imul(second, 0x85eb_ca6b)) >>> 16;

/** The positions in the tables of {@link Grams} that a fragment hashes to. */
export interface Trace {
  readonly long: boolean;
  readonly places: readonly number[];
}

function traceOf(text: string): Trace {
  const long = text.length >= 4;
  const places = Array.from({ length: text.length - (long ? 3 : 1) }, (_, at) =>
    long ? fourOf(pairAt(text, at), pairAt(text, at + 2)) : pairAt(text, at),
  );
  return { long, places };
}

export function tracesOf(clauses: readonly Clause[]): readonly (readonly Trace[])[] {
  return clauses.map((clause) => clause.map(traceOf));
}

/**
 * The number of the text in which a run was last seen. One table serves all texts, because allocating or clearing one per text
 * takes longer than reading a short text. Numbers repeat only after 2^32 texts, and a false match only means that a cue is tried
 * in vain.
 */
const pairs = new Uint32Array(SIZE);
const fours = new Uint32Array(SIZE);
let texts = 0;

/**
 * The runs of two and four characters of a text: a fast test for fragments that it does not contain. Short runs are hashed.
 * Finish with one instance before creating the next.
 */
export class Grams {
  readonly #text: number;

  constructor(text: string) {
    texts = (texts + 1) >>> 0;
    this.#text = texts;
    const last = [0, 0];
    for (let at = 0; at + 1 < text.length; at += 1) {
      const pair = pairAt(text, at);
      pairs[pair] = texts;
      if (at >= 2) fours[fourOf(last[at & 1] ?? 0, pair)] = texts;
      last[at & 1] = pair;
    }
  }

  /** False if no fragment of some clause occurs in the text. True may be wrong. */
  mayHold(clauses: readonly (readonly Trace[])[]): boolean {
    return clauses.every((clause) => clause.some((trace) => this.#mayHave(trace)));
  }

  #mayHave({ long, places }: Trace): boolean {
    const table = long ? fours : pairs;
    return places.every((place) => table[place] === this.#text);
  }
}
