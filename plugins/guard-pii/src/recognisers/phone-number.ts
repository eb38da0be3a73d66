import type { CountryCode } from 'libphonenumber-js/max';
import { isDigit, isWordCharacter } from '../text/characters.ts';
import { type DigitGroup, MAX_GROUPS } from '../text/digit-groups.ts';
import { goesOnBefore } from '../text/grouped-number.ts';
import type { Token } from '../text/tokens.ts';
import { OTHER_NUMBERS } from './other-numbers.ts';
import { ID_LABELS, PHONE_LABELS } from './phone-labels.ts';
import { isInternational, isNational } from './phone-plans.ts';
import type { Recogniser } from './recogniser.ts';

/** Maximum number of digits with a country code (E.164), and minimum number of digits of any number. */
const MAX_DIGITS = 15;
const FEWEST_DIGITS = 7;
/** Maximum code units: the digits, the signs between them, and an extension. */
const MAX_LENGTH = 36;

const SCORES = { international: 0.6, national: 0.4, shape: 0.1, bare: 0.05 } as const;

/** A number as written in the text. */
interface Written {
  readonly end: number;
  readonly digits: string;
  /** How many groups of digits it has. */
  readonly groups: number;
}

/**
 * Matches digits in the form of a phone number. They need context unless they have a country code or the form of a country's own numbers. Parsing
 * decides the cases that the form leaves open.
 */
export const phoneNumber: Recogniser = {
  entity_type: 'PHONE_NUMBER',
  anchor: 'token',
  digits: [7, 8, 9, 10, 11, 12, 13, 14, 15],
  context: { for: PHONE_LABELS, against: new Set([...OTHER_NUMBERS, ...ID_LABELS]) },
  at(text, token) {
    if (token.group.start !== token.start || goesOnBefore(text, token.start)) return null;
    const start = withPrefix(text, token.start);
    if (isWordCharacter(text.charCodeAt(start - 1)) || isZip(text, token)) return null;
    let best: { written: Written; score: number } | null = null;
    for (const written of readings(text, token.group)) {
      const score = scoreOf(text.slice(start, written.end), written);
      if (score > (best?.score ?? 0)) best = { written, score };
      if (score >= SCORES.national) break;
    }
    if (best === null) return null;
    const { written, score } = best;
    const byForm = isUnmistakable(text.slice(start, written.end), written, score);
    return { start, end: withExtension(text, written.end), score, byForm };
  },
};

/** Whether the number has a country code, or an area code in brackets. No order number has this form. */
function isUnmistakable(shown: string, { digits }: Written, score: number): boolean {
  if (score >= SCORES.international) return true;
  return AMERICAN.test(shown) && shown.includes('(') && isNational(digits, 'US');
}

/** Whether it is the ZIP code of an American state: `MA 02110-1301`. */
function isZip(text: string, { start, group }: Token): boolean {
  if (group.end - start !== 5 || group.gap !== '-') return false;
  return (
    /^-\d{4}(?!\d)/.test(text.slice(group.end, group.end + 6)) &&
    /(?<![A-Za-z])[A-Z]{2},? $/.test(text.slice(Math.max(0, start - 5), start))
  );
}

/** Includes a preceding `(`, `+`, `+(` or `(+`. */
function withPrefix(text: string, start: number): number {
  if (!'(+'.includes(text.charAt(start - 1) || ' ')) return start;
  const before = text.charAt(start - 2);
  return before !== text.charAt(start - 1) && '(+'.includes(before || ' ') ? start - 2 : start - 1;
}

/** Includes an extension directly after the number: `x12`. */
function withExtension(text: string, end: number): number {
  EXTENSION.lastIndex = end;
  return EXTENSION.test(text) ? EXTENSION.lastIndex : end;
}
const EXTENSION = /x\d{1,5}(?![A-Za-z0-9])/y;

/** The number as read with the maximum number of groups, then with fewer. */
function readings(text: string, first: DigitGroup): Written[] {
  const found: Written[] = [];
  const hasArea = first.end - first.start === 3 || text.charAt(first.start) === '0';
  const pairs = first.gap === '/' && PAIRS.test(text.slice(first.start, first.start + 15));
  let digits = '';
  let group: DigitGroup | null = first;
  for (let groups = 1; group !== null && groups <= MAX_GROUPS; groups++) {
    const { end }: DigitGroup = group;
    digits += text.slice(group.start, end);
    if (digits.length > MAX_DIGITS || end - first.start > MAX_LENGTH) break;
    if (digits.length >= FEWEST_DIGITS && endsAt(text, end)) found.push({ end, digits, groups });
    const goesOn: boolean = pairs ? group.gap === '/' : isGap(group, groups === 1 && hasArea);
    group = goesOn ? group.next : null;
  }
  return found.reverse();
}

/** `04/71/52/41/77` */
const PAIRS = /^0\d(?:\/\d\d){4}(?!\d)/;
const GAPS: ReadonlySet<string> = new Set([' ', '.', '-', ')', ') ', ')-', '(', ' (']);

/** Whether a phone number may go on after a group. After an area code also as in `0210/20 60 37` and `089 / 123456`. */
function isGap({ gap, next }: DigitGroup, isArea: boolean): boolean {
  if (GAPS.has(gap)) return true;
  const length = next === null ? 0 : next.end - next.start;
  if (gap === '/') return length >= (isArea ? 2 : 3);
  return isArea && length >= 2 && (gap === ' / ' || gap === ' - ');
}

/** Whether a number may end here: neither a letter, unless it is that of an extension, nor a hyphen or dot and more digits follow. */
function endsAt(text: string, end: number): boolean {
  EXTENSION.lastIndex = end;
  return (!isWordCharacter(text.charCodeAt(end)) || EXTENSION.test(text)) && !joins(text, end);
}

/** Whether a hyphen or dot and more digits follow. */
function joins(text: string, end: number): boolean {
  return '-.'.includes(text.charAt(end) || ' ') && isDigit(text.charCodeAt(end + 1));
}

function scoreOf(shown: string, { digits, groups }: Written): number {
  if (NO_PHONE.test(shown) || isAddress(shown)) return 0;
  if (THREES.test(shown)) return THREES_REGIONS.some((region) => isNational(digits, region)) ? SCORES.shape : 0;
  if (/^\(?\+/.test(shown)) return isInternational(digits) ? SCORES.international : SCORES.national;
  if (isForm(shown, digits) || (groups > 1 && isDialled(digits, shown))) return SCORES.national;
  return groups > 1 ? SCORES.shape : SCORES.bare;
}

/** Matches dates, with or without a time, amounts, and a single digit repeated. */
const NO_PHONE =
  /^(?:0\.\d|(?:19|20)\d{2}[-./ ]\d{1,2}[-./ ]\d{1,2}(?!\d)|\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d{2}(?!\d)|\d{1,3}(?:\.\d{3}){3,}$|\d{1,2}(?:\.\d{3}){2}$|(?:19|20)\d{2}[- ](?:19|20)\d{2}$|(\d)(?:[ .()-]*\1)+$|\d{3}[- ]\d{2}[- ]\d{4}$)/;

/** Whether it can be an IPv4 address. */
function isAddress(shown: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(shown) && shown.split('.').every((part) => Number(part) <= 255 && !/^0./.test(part));
}

/** `612.345.678`, an amount or a number of one of these regions. */
const THREES = /^\d{3}\.\d{3}\.\d{3}$/;
const THREES_REGIONS: readonly CountryCode[] = ['ES', 'PT', 'PL'];

/** `212-555-0123`, `(212) 555-0123`, `1.212.555.0123`. */
const AMERICAN = /^(?:1[-. ])?(?:\([2-9]\d{2}\)[ -]?|[2-9]\d{2}[-.])\d{3}[-. ]\d{4}$/;

/** An area code in brackets, as in `(08) 8747 6301` and `(089) 123456`. */
const BRACKETED = /^\((?:\d{2,5}\) ?\d{1,5}(?:[- ]\d{2,4}){1,3}|0\d{1,4}\) ?\d{5,8})$/;

/** `8 (495) 123-45-67`. */
const RUSSIAN = /^8[ -]?\(\d{3,5}\)[ -]?\d{1,3}[- ]\d{2}[- ]\d{2}$/;

/** `91 123 45 67` */
const IN_FOUR = /^\d\d([ -])\d{3}\1\d\d\1\d\d$/;

/** Forms of numbers by their length. Other digits are grouped like some of them, so a country's plan must contain the number. */
const FORMS: ReadonlyMap<number, readonly (readonly [form: RegExp, region?: CountryCode])[]> = new Map([
  [
    9,
    [
      [/^[6-9]\d\d([ -])\d\d\1\d\d\1\d\d$/, 'ES'],
      [IN_FOUR, 'ES'],
      [IN_FOUR, 'PL'],
    ],
  ],
  [10, [[AMERICAN], [/^[2-9]\d{2} [2-9]\d{2} \d{4}$/, 'US']]],
  [
    11,
    [
      [AMERICAN],
      [RUSSIAN],
      [/^1[3-9]\d([ -])\d{4}\1\d{4}$/, 'CN'],
      [/^\d{2} 9 ?\d{4}-\d{4}$/, 'BR'],
      [/^8([ -])\d{3}\1\d{3}[ -]\d{2}[ -]\d{2}$/, 'RU'],
    ],
  ],
]);

function isForm(shown: string, digits: string): boolean {
  if (BRACKETED.test(shown)) return true;
  const forms = FORMS.get(digits.length) ?? [];
  return forms.some(([form, region]) => form.test(shown) && (region === undefined || isNational(digits, region)));
}

/**
 * Whether digits in groups are a number as dialled abroad, with 00 or 0011, or within a country with 0. Of the latter no plan is asked: 91 to 99 % of all
 * digits of these lengths are a number of one of 13 countries. Columns of a table have many single digits.
 */
function isDialled(digits: string, shown: string): boolean {
  if (digits.startsWith('00')) return isInternational(digits.slice(digits.startsWith('0011') ? 4 : 2));
  return WITHIN.test(shown) && digits.length >= 9 && digits.length <= 12 && (shown.match(SINGLE)?.length ?? 0) <= 1;
}
const WITHIN = /^\(?0\d{0,4}(?!\d)/;
const SINGLE = /(?<!\d)\d(?!\d)/g;
