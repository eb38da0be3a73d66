/** A set of characters as bits, by position in {@link ALL}. */
export type Characters = Uint32Array;

/**
 * All characters of the first two planes (except lone surrogates, which have no classes), the tags and selectors of plane 14, and two of each other
 * plane, which contain only ideographs or nothing. The regular expression engine itself is asked which characters a class contains.
 */
const ALL = [
  ...range(0, 0xd7ff),
  ...range(0xe000, 0x1ffff),
  ...range(0xe0000, 0xe01ff),
  ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16].flatMap((plane) => [plane * 0x10000, plane * 0x10000 + 0xfffd]),
]
  .map((code) => String.fromCodePoint(code))
  .join('');
const WORDS = Math.ceil(ALL.length / 32);

export const NONE: Characters = new Uint32Array(WORDS);

const known = new Map<string, Characters>();

/** The characters that an element of a pattern, such as `a`, `\d` or `[^a-z]`, matches with these flags. */
export function charactersOf(source: string, flags: string): Characters {
  const kept = [...flags].filter((flag) => 'iuvs'.includes(flag)).join('');
  const name = `${kept}/${source}`;
  const found = known.get(name) ?? matched(new RegExp(`(?:${source})+`, `g${kept}`));
  known.set(name, found);
  return found;
}

function matched(pattern: RegExp): Characters {
  const bits = new Uint32Array(WORDS);
  for (const { index, 0: run } of ALL.matchAll(pattern)) {
    for (let at = index; at < index + run.length; at += 1) bits[at >> 5] = (bits[at >> 5] ?? 0) | (1 << (at & 31));
  }
  return bits;
}

/** Similar patterns combine the same classes repeatedly. */
const unions = new WeakMap<Characters, WeakMap<Characters, Characters>>();

export function union(a: Characters, b: Characters): Characters {
  if (a === b) return a;
  const ofA = unions.get(a) ?? new WeakMap<Characters, Characters>();
  const both = ofA.get(b) ?? a.map((bits, at) => bits | (b[at] ?? 0));
  unions.set(a, ofA.set(b, both));
  return both;
}

export function without(a: Characters, b: Characters): Characters {
  return a.map((bits, at) => bits & ~(b[at] ?? 0));
}

export function areDisjoint(a: Characters, b: Characters): boolean {
  for (let at = 0; at < a.length; at += 1) if (((a[at] ?? 0) & (b[at] ?? 0)) !== 0) return false;
  return true;
}

function* range(from: number, to: number): Generator<number> {
  for (let code = from; code <= to; code += 1) yield code;
}
