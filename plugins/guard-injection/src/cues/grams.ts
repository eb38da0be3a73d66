import type { Clause } from './needs.ts';

const SIZE = 65_536;

const pairAt = (text: string, at: number): number => ((text.charCodeAt(at) << 7) ^ text.charCodeAt(at + 1)) & 0xffff;
const fourOf = (first: number, second: number): number => (Math.imul(first, 0x9e37_79b1) ^ Math.imul(second, 0x85eb_ca6b)) >>> 16;

/** Places in the tables of {@link Grams} that a text is to be found by. */
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

/** The runs of two and four characters of a text: tells in a moment that another text does not stand in it. Short runs are hashed. */
export class Grams {
  readonly #pairs = new Uint8Array(SIZE);
  readonly #fours = new Uint8Array(SIZE);

  constructor(text: string) {
    const pairs = [0, 0];
    for (let at = 0; at + 1 < text.length; at += 1) {
      const pair = pairAt(text, at);
      this.#pairs[pair] = 1;
      if (at >= 2) this.#fours[fourOf(pairs[at & 1] ?? 0, pair)] = 1;
      pairs[at & 1] = pair;
    }
  }

  /** False where one of these clauses has no text in it. True may be wrong. */
  mayHold(clauses: readonly (readonly Trace[])[]): boolean {
    return clauses.every((clause) => clause.some((trace) => this.#mayHave(trace)));
  }

  #mayHave({ long, places }: Trace): boolean {
    const table = long ? this.#fours : this.#pairs;
    return places.every((place) => table[place] === 1);
  }
}
