import { type Recogniser, words } from './recogniser.ts';

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?';
const ANY_WEEKDAY = String.raw`(?:${WEEKDAY}|(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\.?)`;
const DAY = String.raw`(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?:1[89]|20)\d{2}`;
const NUMBER = String.raw`(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|several|a few)`;
/** A time in machines' form, and in a person's. */
const TIME = String.raw`[0-2]\d:[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:Z| ?[+-]\d{2}:?\d{2})?`;
const CLOCK = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2}|(?: ?[ap]\.?m\.?(?!\p{L}))?(?: (?:UTC|GMT|BST|IST|JST|CES?T|[ECMP][SD]T)(?!\p{L}))?)`;
const TO = '(?: ?- ?| (?:to|and|through|until) )';

/** The longest forms come first: dates with a time, numeric dates, dates in words, times, weekdays, relative dates. */
const PATTERNS = [
  String.raw`${YEAR}[-/.](?:1[0-2]|0?[1-9])[-/.](?:3[01]|[12]\d|0?[1-9])(?:[T ]${TIME})?`,
  String.raw`${YEAR}(?:1[0-2]|0[1-9])(?:3[01]|[12]\d|0[1-9])T\d{4}(?:\d{2})?Z?`,
  String.raw`(?:3[01]|[12]\d|0?[1-9])[-/.](?:1[0-2]|0?[1-9])[-/.](?:${YEAR}|\d{2})`,
  String.raw`(?:1[0-2]|0?[1-9])[-/.](?:3[01]|[12]\d|0?[1-9])[-/.](?:${YEAR}|\d{2})`,
  String.raw`${DAY}[-/]${MONTH}[-/](?:${YEAR}|\d{2})(?:[: T]${TIME})?`,
  `${MONTH}[-/]${DAY}[-/]${YEAR}`,
  String.raw`(?:${ANY_WEEKDAY},? )?${MONTH}\.? {1,2}${DAY}(?:${TO}${DAY})?(?:,? ${YEAR})?`,
  String.raw`(?:${ANY_WEEKDAY},? )?${DAY}(?:${TO}${DAY})?(?: of)? ${MONTH}\.?(?:,? ${YEAR})?`,
  String.raw`${MONTH}\.?,?(?: of)? ${YEAR}`,
  `(?:1[0-2]|0?[1-9])/${YEAR}`,
  `Q[1-4](?: of)?,? ${YEAR}`,
  `${YEAR}[-/]${YEAR}`,
  CLOCK,
  String.raw`(?:1[0-2]|[1-9])(?:\.[0-5]\d)? ?[ap]\.?m\.?`,
  `(?:1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) o['’]clock`,
  `(?:last|next) ${WEEKDAY}`,
  WEEKDAY,
  `${NUMBER} (?:minute|hour|day|week|month|year)s? (?:ago|from now)`,
  '(?:yesterday|tomorrow)',
];
/** A colon before a date separates it from its label. In a longer number it does not. */
const BEFORE = String.raw`(?<![\p{L}\d_./-]|\d:)`;
const AFTER = String.raw`(?![\p{L}\d_]|[/:.-]\d)`;
const DATE = new RegExp(`${BEFORE}(?:${PATTERNS.join('|')})${AFTER}`, 'giu');

/** The name of a month alone. Some are also names of people or other words, so they need one of the context words before them. */
const MONTH_ALONE = /(?<![\p{L}\d_./])(?:January|February|July|September|October|November|December)(?![\p{L}\d_]|[/:.-]\d)/gu;
const AMBIGUOUS_MONTH = /(?<![\p{L}\d_./])(?:March|April|May|June|August)(?![\p{L}\d_]|[/:.-]\d)/gu;
const BEFORE_MONTHS = words(
  `in since of until till before after from to by during month months early late mid end beginning start this last next between through around every`,
);
const BEFORE_YEARS = words(
  'in since of year years circa until till before after from to by during class born founded between early late mid',
);

/** A year alone is ambiguous, so it needs one of the context words before it, or brackets. */
const BARE_YEAR = new RegExp(`${BEFORE}${YEAR}${AFTER}`, 'gu');
const IN_BRACKETS = new RegExp(String.raw`(?<=\()${YEAR}(?=\))`, 'gu');

/** Maximum code units: the longest date in words, and text that may still extend it. */
const MAX_DATE = 72;

/** Tries every position from left to right, so that results do not depend on where the text starts. */
function* all(pattern: RegExp, text: string, from: number, score: number) {
  pattern.lastIndex = from;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    yield { start: found.index, end: found.index + found[0].length, score };
    // Dates may overlap. This is resolved later, in the same way for streams and whole texts.
    pattern.lastIndex = found.index + 1;
  }
}

export const dateTime: Recogniser = {
  entity_type: 'DATE_TIME',
  anchor: 'none',
  find: (text, from) => all(DATE, text, from, 0.6),
  reach: MAX_DATE,
  openFrom: openDate,
};

export const monthAlone: Recogniser = {
  entity_type: 'DATE_TIME',
  anchor: 'none',
  find: (text, from) => all(MONTH_ALONE, text, from, 0.6),
};

export const ambiguousMonth: Recogniser = {
  entity_type: 'DATE_TIME',
  anchor: 'none',
  context: { for: BEFORE_MONTHS },
  find: (text, from) => all(AMBIGUOUS_MONTH, text, from, 0.2),
};

export const year: Recogniser = {
  entity_type: 'DATE_TIME',
  anchor: 'none',
  context: { for: BEFORE_YEARS },
  *find(text, from) {
    yield* all(BARE_YEAR, text, from, 0.2);
    yield* all(IN_BRACKETS, text, from, 0.6);
  },
};

const WORD = `${MONTH}|${ANY_WEEKDAY}|of|ago|from|now|to|and|through|until|last|next|[ap]\\.?m\\.?|utc|gmt|a|an|few|several|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|minutes?|hours?|days?|weeks?|months?|years?`;
/** Matches text without spaces that a date may contain before its last space. */
const PART = new RegExp(String.raw`\d|^[-+]$|(?<!\p{L})(?:${WORD})[.,]{0,2}$`, 'iu');

/** The start of a date that may continue after the text: of its last word, and of the parts before it. */
function openDate(text: string): number {
  const from = Math.max(0, text.length - MAX_DATE);
  const tail = text.slice(from);
  let open = tail.length;
  for (const { 0: part, index } of [...tail.matchAll(/\S+/g)].reverse()) {
    const gap = tail.slice(index + part.length, open);
    const isLast = gap === '' && open === tail.length;
    if (!isLast && ((gap !== ' ' && gap !== '  ') || !PART.test(part))) break;
    open = index;
  }
  return from + open;
}
