/** Emoji flags of regions: a black flag, tags, a closing tag. The only remaining legitimate use of tag characters. */
const FLAGS = /\u{1F3F4}[\u{E0020}-\u{E007E}]{3,8}\u{E007F}/gu;
const TAGS = /[\u{E0000}-\u{E007F}]{2,}/gu;
/** Bytes encoded as consecutive variation selectors. An emoji has only one. */
const SELECTORS = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{4,}/gu;
/** Bits encoded as zero-width characters. Legitimate joiners between letters or emoji come one or two at a time. */
const ZERO_WIDTH = /[\u200B-\u200D\u2060-\u2064\uFEFF\u180E]{8,}/gu;
/** A zero-width character inside a Latin word, where no script needs one. */
const WITHIN_WORDS = /(?<=[a-z])[\u00AD\u200B-\u200D\u2060-\u2064\uFEFF](?=[a-z])/giu;
/** Marks that override the direction of the following text, whatever its script. */
const OVERRIDES = /[\u202D\u202E]/gu;

/** Scores for each way to hide text, and the text hidden in invisible characters. */
export function hidden(text: string): { score: number; bidi: number; texts: string[] } {
  const rest = text.replace(FLAGS, '');
  const tags = [...rest.matchAll(TAGS)].map(([run]) => shifted(run, (code) => code - 0xe0000));
  const selectors = [...rest.matchAll(SELECTORS)].map(([run]) => Buffer.from([...run].map(byteOf)).toString());
  const bits = [...rest.matchAll(ZERO_WIDTH)].length;
  const within = [...rest.matchAll(WITHIN_WORDS)].length;
  const score = tags.length > 0 || selectors.length > 0 ? 0.85 : bits > 0 ? 0.7 : within >= 12 ? 0.4 : 0;
  return { score, bidi: rest.search(OVERRIDES) >= 0 ? 0.6 : 0, texts: [...tags, ...selectors] };
}

/** Ranges to remove: invisible characters, except those that writing needs. */
export function* hiding(text: string): Generator<{ start: number; end: number }> {
  const flags = [...text.matchAll(FLAGS)].map(({ index, 0: flag }) => ({ start: index, end: index + flag.length }));
  for (const pattern of [TAGS, SELECTORS, ZERO_WIDTH, WITHIN_WORDS, OVERRIDES]) {
    let next = 0;
    for (const { index: start, 0: run } of text.matchAll(pattern)) {
      const end = start + run.length;
      while ((flags[next]?.end ?? Infinity) <= start) next += 1;
      if ((flags[next]?.start ?? Infinity) >= end) yield { start, end };
    }
  }
}

function shifted(run: string, by: (code: number) => number): string {
  return [...run].map((character) => String.fromCharCode(by(character.codePointAt(0) ?? 0xe0000))).join('');
}

function byteOf(selector: string): number {
  const code = selector.codePointAt(0) ?? 0;
  return code >= 0xe0100 ? code - 0xe0100 + 16 : code - 0xfe00;
}
