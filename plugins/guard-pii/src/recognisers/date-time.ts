import { type Recogniser, words } from './recogniser.ts';

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?';
const DAY = String.raw`(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?:1[89]|20)\d{2}`;
const CLOCK = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?(?: ?[ap]\.?m\.?)?`;

/** The longest forms come first: dates with a time, numeric dates, dates in words, times, weekdays, relative dates. */
const PATTERNS = [
  String.raw`${YEAR}[-/.](?:1[0-2]|0?[1-9])[-/.](?:3[01]|[12]\d|0?[1-9])(?:[T ]${CLOCK})?`,
  String.raw`(?:3[01]|[12]\d|0?[1-9])[-/.](?:1[0-2]|0?[1-9])[-/.](?:${YEAR}|\d{2})`,
  String.raw`(?:1[0-2]|0?[1-9])[-/.](?:3[01]|[12]\d|0?[1-9])[-/.](?:${YEAR}|\d{2})`,
  String.raw`(?:${WEEKDAY},? )?${MONTH}\.? ${DAY}(?:,? ${YEAR})?`,
  String.raw`(?:${WEEKDAY},? )?${DAY}(?: of)? ${MONTH}\.?(?:,? ${YEAR})?`,
  String.raw`${MONTH}\.?,? ${YEAR}`,
  CLOCK,
  String.raw`(?:1[0-2]|[1-9]) ?[ap]\.?m\.?`,
  WEEKDAY,
  String.raw`(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten) (?:day|week|month|year)s? (?:ago|from now)`,
  '(?:yesterday|tomorrow)',
];
const DATE = new RegExp(String.raw`(?<![\p{L}\d_.:/-])(?:${PATTERNS.join('|')})(?![\p{L}\d_]|[/:.-]\d)`, 'giu');

/** A year alone is ambiguous, so it needs one of the context words before it. */
const BARE_YEAR = new RegExp(String.raw`(?<![\p{L}\d_.:/-])${YEAR}(?![\p{L}\d_]|[/:.-]\d)`, 'gu');

/** Maximum code units: the longest date in words, and text that may still extend it. */
const MAX_DATE = 64;

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
  openFrom(text) {
    const tail = text.slice(-MAX_DATE);
    return text.length - (OPEN.exec(tail)?.[0].length ?? 0);
  },
};

export const year: Recogniser = {
  entity_type: 'DATE_TIME',
  anchor: 'none',
  context: { for: words('in since of year years circa until till before after from to by during class born founded') },
  find: (text, from) => all(BARE_YEAR, text, from, 0.2),
};

/** The characters of words and numbers in a date, without separators. A date begins only where none of these characters precedes. */
const INSIDE = String.raw`\p{L}\d_:./-`;
const WORD = `${MONTH}|${WEEKDAY}|of|ago|from|now|[ap]m?|one|two|three|four|five|six|seven|eight|nine|ten|days?|weeks?|months?|years?`;
/** Matches a possible beginning of a date at the end of the text. Its last word may be incomplete. */
const OPEN = new RegExp(
  String.raw`(?<![${INSIDE}])(?:(?:\d|(?:${WORD})(?!\p{L}))[${INSIDE}]{0,30}(?:, ?| |\+)){0,7}(?:\p{L}{1,10}(?!\p{L})[${INSIDE}]{0,30}|\d[${INSIDE}]{0,62})?(?:\+|, ?)?$`,
  'iu',
);
