import type { QuickSearch, Search, Searching } from './detector.ts';

/** Detectors that share one test for possible starts. */
interface Group {
  readonly searches: readonly Search[];
  readonly begun: RegExp;
  /** Whether their secrets contain no space. */
  readonly isSpaceless: boolean;
  /** Whether text must precede a secret. */
  readonly hasBefore: boolean;
  /** Whether a secret may begin within a word. */
  readonly isAnywhere: boolean;
  /** Whether a secret may begin with an ASCII character, by code. */
  readonly starts: readonly boolean[];
}

const ASCII = 128;
const SPACE = 32;
const NEWLINE = 10;
const IS_WORD: readonly boolean[] = charactersOf(/\w/);

function groupOf(searches: readonly [Search, ...Search[]]): Group {
  const [{ flags, isSpaceless, start, detector }] = searches;
  const hasBefore = detector.before !== undefined;
  const begun = searches.map(({ detector: { before, secret } }) => (before ? `(?<=${start}${before.whole})` : '') + secret.begun);
  return {
    searches,
    begun: new RegExp(`${hasBefore ? '' : start}(?:${begun.join('|')})`, flags),
    isSpaceless,
    hasBefore,
    isAnywhere: charactersOf(new RegExp(`[${detector.notAfter}]`)).some((isNotAfter, code) => IS_WORD[code] && !isNotAfter),
    starts: charactersOf(new RegExp(`^(?:${searches.map((search) => search.detector.secret.begun).join('|')})`, flags)),
  };
}

/** Several detectors over one text. Quick tests rule out most of them in one pass. */
export class Searches {
  readonly all: readonly Search[];
  /** How many code units may matter before a secret, and how many from the start of its preceding text to the character after it. */
  readonly context: number;
  readonly reach: number;
  readonly #groups: readonly Group[];
  readonly #groupOf: ReadonlyMap<Search, Group>;
  /** Matches the text that must precede some secrets. Most texts contain none of it. Null if no secret has such a text. */
  readonly #before: RegExp | null;
  readonly #first: readonly QuickSearch[];
  readonly #last: readonly QuickSearch[];

  /** `first` and `last`: searches that come before and after the others if several secrets start at the same place. */
  constructor(all: readonly Search[], first: readonly QuickSearch[] = [], last: readonly QuickSearch[] = []) {
    this.all = all;
    this.#first = first;
    this.#last = last;
    const each = [...all, ...first, ...last];
    this.context = Math.max(1, ...each.map(({ context }) => context));
    this.reach = Math.max(1, ...each.map(({ reach }) => reach));
    const kindOf = ({ flags, isSpaceless, start, detector: { before } }: Search): string =>
      JSON.stringify([flags, isSpaceless, before !== undefined, start]);
    const groups = Map.groupBy(all, kindOf).values();
    this.#groups = [...groups].flatMap(([first, ...others]) => (first === undefined ? [] : [groupOf([first, ...others])]));
    this.#groupOf = new Map(this.#groups.flatMap((group) => group.searches.map((search) => [search, group] as const)));
    const before = all.flatMap(({ detector }) => detector.before?.whole ?? []);
    this.#before = before.length === 0 ? null : new RegExp(before.join('|'), 'gi');
  }

  /**
   * Where a secret begins that more text could complete, but not before `from`. The text's length if there is none. Text that must precede a secret
   * is never masked, so it need not be held back.
   */
  openFrom(text: string, from: number, hasBefore = this.#hasBefore(text, from)): number {
    const least = Math.max(from, text.length - this.reach);
    const word = wordStart(text, from);
    let open = text.length;
    for (const quick of [...this.#first, ...this.#last]) open = Math.min(open, quick.openFrom(text, from));
    for (const group of this.#groups) {
      const start = group.isSpaceless ? word : least;
      if (group.hasBefore ? !hasBefore : !mayBegin(group, text, start)) continue;
      group.begun.lastIndex = start;
      open = Math.min(open, group.begun.exec(text)?.index ?? open);
    }
    return open;
  }

  /** Searches that may have a hit at `from` or later. Most words are shorter than any secret, or begin with a different character. */
  likely(text: string, from: number, hasBefore = this.#hasBefore(text, from)): readonly Searching[] {
    let longest: number | null = null;
    const isLikely = (search: Search): boolean => {
      const group = this.#groupOf.get(search);
      if (group === undefined || (group.hasBefore && !hasBefore) || !search.mayContain(text, from)) return false;
      if (search.isSpaceless) {
        longest ??= longestWord(text, from);
        if (search.shortest > longest) return false;
      }
      return group.hasBefore || mayBegin(group, text, from);
    };
    const quick = (search: QuickSearch): boolean => search.isLikely(text, from);
    return [...this.#first.filter(quick), ...this.all.filter(isLikely), ...this.#last.filter(quick)];
  }

  /** Like {@link openFrom}, for text without a hit at `from` or later. Null if there may be a hit. */
  plainOpenFrom(text: string, from: number): number | null {
    if (this.#hasBefore(text, from)) return null;
    return this.likely(text, from, false).length === 0 ? this.openFrom(text, from, false) : null;
  }

  /** Whether the text may announce a secret before some position from `from` on. */
  #hasBefore(text: string, from: number): boolean {
    if (this.#before === null) return false;
    this.#before.lastIndex = Math.max(0, from - this.context);
    return this.#before.test(text);
  }
}

/** Whether a secret may begin at `from` or later, judged by single characters and the ones before them. */
function mayBegin({ starts, isAnywhere }: Group, text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code >= ASCII || starts[code]) && (isAnywhere || at === 0 || !IS_WORD[text.charCodeAt(at - 1)])) return true;
  }
  return false;
}

/** Start of the last word, or `from` if that is later. */
export function wordStart(text: string, from: number): number {
  let at = text.length;
  while (at > from && !isGap(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function longestWord(text: string, from: number): number {
  let longest = 0;
  let start = from;
  for (let at = from; at < text.length; at++) {
    if (!isGap(text.charCodeAt(at))) continue;
    longest = Math.max(longest, at - start);
    start = at + 1;
  }
  return Math.max(longest, text.length - start);
}

function isGap(code: number): boolean {
  return code === SPACE || code === NEWLINE;
}

function charactersOf(pattern: RegExp): boolean[] {
  return Array.from({ length: ASCII }, (_, code) => {
    pattern.lastIndex = 0;
    return pattern.test(String.fromCharCode(code));
  });
}
