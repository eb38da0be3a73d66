/**
 * A pattern of limited length in two forms: one for the whole match, and one for text at the end that could still become one, which a stream must
 * hold back. Both are generated together so that they agree.
 */
export interface Shape {
  /** Source of a regular expression for the whole shape. */
  readonly whole: string;
  /** Source of a regular expression for any beginning of the shape at the end of the text, including the empty and the whole one. */
  readonly begun: string;
  /** Lengths of the shortest and the longest match, in UTF-16 code units. */
  readonly shortest: number;
  readonly longest: number;
}

export function text(literal: string): Shape {
  const characters = [...literal].map(escaped);
  const begun = characters.reduceRight((rest, character) => `(?:${character}${rest})?`, '');
  return { whole: characters.join(''), begun: `${begun}$`, shortest: literal.length, longest: literal.length };
}

/** Matches `least` to `most` characters of a class. The class is written as between `[` and `]`. */
export function run(characters: string, least: number, most = least): Shape {
  return { whole: `[${characters}]{${least},${most}}`, begun: `[${characters}]{0,${most}}$`, shortest: least, longest: most };
}

/** As {@link run}, but as few characters as possible, so that text after the match does not change it. */
export function fewOf(characters: string, least: number, most: number): Shape {
  const greedy = run(characters, least, most);
  return { ...greedy, whole: `${greedy.whole}?` };
}

/** Matches a maximal run of these characters, without joints at its end. If the run is longer than `most`, matches the first `most`. */
export function upTo(characters: string, joints: string, least: number, most: number): Shape {
  const all = joints + characters;
  const whole = `(?:[${all}]{${most}}|[${all}]{${least - 1},${most - 2}}[${characters}])`;
  return { ...run(all, least, most), whole };
}

/** Matches the shape if this character follows, which does not become part of the match. */
export function followedBy(character: string, shape: Shape): Shape {
  return { ...shape, whole: `${shape.whole}(?=${escaped(character)})` };
}

export function oneOf(...shapes: readonly Shape[]): Shape {
  return {
    whole: `(?:${shapes.map(({ whole }) => whole).join('|')})`,
    begun: `(?:${shapes.map(({ begun }) => begun).join('|')})`,
    shortest: Math.min(...shapes.map(({ shortest }) => shortest)),
    longest: Math.max(...shapes.map(({ longest }) => longest)),
  };
}

export function maybe({ whole, begun, longest }: Shape): Shape {
  return { whole: `(?:${whole})?`, begun, shortest: 0, longest };
}

export function sequence(...shapes: readonly Shape[]): Shape {
  return shapes.reduceRight((rest, first) => ({
    whole: first.whole + rest.whole,
    begun: `(?:${first.begun}|${first.whole}${rest.begun})`,
    shortest: first.shortest + rest.shortest,
    longest: first.longest + rest.longest,
  }));
}

/** Matches the longest of these words. Shared beginnings are written once, so that many words cost little more than one. */
export function words(...list: readonly string[]): Shape {
  const rests = new Map<string, string[]>();
  for (const word of list) {
    const [first = ''] = word;
    rests.set(first, [...(rests.get(first) ?? []), word.slice(first.length)]);
  }
  const branches = [...rests].map(([first, after]) => {
    const longer = after.filter((rest) => rest !== '');
    if (longer.length === 0) return text(first);
    return sequence(text(first), longer.length < after.length ? maybe(words(...longer)) : words(...longer));
  });
  return oneOf(...branches);
}

function escaped(character: string): string {
  return /[\^$\\.*+?()[\]{}|/-]/u.test(character) ? `\\${character}` : character;
}
