import type { CountryCode } from 'libphonenumber-js/max';
import { isDigit, isWordCharacter } from '../text/characters.ts';
import { goesOnBefore } from '../text/digit-groups.ts';
import { OTHER_NUMBERS } from './other-numbers.ts';
import { ID_LABELS, PHONE_LABELS } from './phone-labels.ts';
import { isInternational, isNational } from './phone-plans.ts';
import type { Recogniser } from './recogniser.ts';

/** Maximum number of digits with a country code (E.164), and minimum number of digits of any number. */
const MAX_DIGITS = 15;
const FEWEST_DIGITS = 7;
/** Maximum code units: the digits, the signs between them, and an extension. */
const MAX_LENGTH = 36;
const MAX_GROUPS = 8;

/** Regions to try for a number that begins with 0, in this order. */
export const TRUNK_REGIONS: readonly CountryCode[] = [
  'GB',
  'FR',
  'DE',
  'AU',
  'IT',
  'NL',
  'JP',
  'CN',
  'KR',
  'BE',
  'CH',
  'AT',
  'SE',
];
/** Regions whose international prefix is not 00. */
const OTHERWISE_ABROAD: readonly CountryCode[] = ['AU'];

const SCORES = { international: 0.6, national: 0.4, shape: 0.1, bare: 0.05 } as const;

/** A number as written in the text: its end, digits and groups. */
interface Written {
  readonly end: number;
  readonly digits: string;
  readonly groups: readonly number[];
}

/**
 * Matches digits in the form of a phone number. They need context unless they have a country code or the form of a country's own numbers. Parsing
 * decides the cases that the form leaves open.
 */
export const phoneNumber: Recogniser = {
  entity_type: 'PHONE_NUMBER',
  anchor: 'token',
  context: { for: PHONE_LABELS, against: new Set([...OTHER_NUMBERS, ...ID_LABELS]) },
  at(text, token) {
    if (token.run === null && !/^\d+x\d+$/.test(text.slice(token.start, Math.min(token.end, token.start + MAX_LENGTH))))
      return null;
    const start = withPrefix(text, token.start);
    if (goesOnBefore(text, token.start) || isWordCharacter(text.charCodeAt(start - 1)) || isZip(text, token.start)) return null;
    let best: { written: Written; score: number } | null = null;
    for (const written of readings(text, token.start)) {
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
function isZip(text: string, start: number): boolean {
  return (
    /^\d{5}-\d{4}(?!\d)/.test(text.slice(start, start + 11)) &&
    /(?<![A-Za-z])[A-Z]{2},? $/.test(text.slice(Math.max(0, start - 5), start))
  );
}

/** Includes a preceding `(`, `+`, `+(` or `(+`. */
function withPrefix(text: string, start: number): number {
  const [prefix = ''] = /(?:\+\(?|\(\+?)?$/.exec(text.slice(Math.max(0, start - 2), start)) ?? [];
  return start - prefix.length;
}

/** Includes an extension directly after the number: `x12`. */
function withExtension(text: string, end: number): number {
  EXTENSION.lastIndex = end;
  return EXTENSION.test(text) ? EXTENSION.lastIndex : end;
}
const EXTENSION = /x\d{1,5}(?![A-Za-z0-9])/y;

/** The number as read with the maximum number of groups, then with fewer. */
function readings(text: string, start: number): Written[] {
  const found: Written[] = [];
  const groups: number[] = [];
  let digits = '';
  for (let at = start; groups.length < MAX_GROUPS; ) {
    let end = at;
    while (isDigit(text.charCodeAt(end))) end += 1;
    digits += text.slice(at, end);
    if (end === at || digits.length > MAX_DIGITS || end - start > MAX_LENGTH) break;
    groups.push(end - at);
    EXTENSION.lastIndex = end;
    if (!isWordCharacter(text.charCodeAt(end)) || EXTENSION.test(text)) found.push({ end, digits, groups: [...groups] });
    const gap = gapAfter(text, start, groups);
    gap.lastIndex = end;
    if (!gap.test(text)) break;
    at = gap.lastIndex;
  }
  return found.filter((written) => written.digits.length >= FEWEST_DIGITS && !joins(text, written.end)).reverse();
}
const GAP = /(?:[ .-]|\) ?|\)-| ?\()(?=\d)|\/(?=\d{3})/y;
/** After an area code, also `0210/20 60 37` and `089 / 123456`. */
const WIDE_GAP = /(?:[ .-]|\) ?|\)-| ?\()(?=\d)|(?:\/| [/-] )(?=\d\d)/y;

/** `04/71/52/41/77` */
const PAIRS = /^0\d(?:\/\d\d){4}(?!\d)/;
const SLASH = /\/(?=\d)/y;

function gapAfter(text: string, start: number, groups: readonly number[]): RegExp {
  if (PAIRS.test(text.slice(start, start + 15))) return SLASH;
  return groups.length === 1 && (groups[0] === 3 || text.charAt(start) === '0') ? WIDE_GAP : GAP;
}

/** Whether a hyphen or dot and more digits follow. */
function joins(text: string, end: number): boolean {
  return '-.'.includes(text.charAt(end) || ' ') && isDigit(text.charCodeAt(end + 1));
}

function scoreOf(shown: string, { digits, groups }: Written): number {
  if (NO_PHONE.test(shown) || isAddress(shown)) return 0;
  if (THREES.test(shown)) return THREES_REGIONS.some((region) => isNational(digits, region)) ? SCORES.shape : 0;
  if (/^\(?\+/.test(shown)) return isInternational(digits) ? SCORES.international : SCORES.national;
  if ([AMERICAN, BRACKETED, RUSSIAN].some((form) => form.test(shown))) return SCORES.national;
  if (GROUPED.some(([form, region]) => form.test(shown) && isNational(digits, region))) return SCORES.national;
  if (groups.length > 1 && digits.startsWith('00') && isInternational(digits.slice(2))) return SCORES.national;
  const regions = digits.startsWith('00') ? OTHERWISE_ABROAD : TRUNK_REGIONS;
  if (isTrunkShape(digits, groups) && regions.some((region) => isNational(digits, region))) return SCORES.national;
  return groups.length > 1 ? SCORES.shape : SCORES.bare;
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

/** Forms of one country, if its numbering plan contains the number: `212 555 0123`, `138 1234 5678`, `11 91234-5678`. Other digits are grouped like this too. */
const GROUPED: readonly (readonly [RegExp, CountryCode])[] = [
  [/^[2-9]\d{2} [2-9]\d{2} \d{4}$/, 'US'],
  [/^1[3-9]\d([ -])\d{4}\1\d{4}$/, 'CN'],
  [/^\d{2} 9 ?\d{4}-\d{4}$/, 'BR'],
  [/^8([ -])\d{3}\1\d{3}[ -]\d{2}[ -]\d{2}$/, 'RU'],
];

/** An area code in brackets, as in `(08) 8747 6301` and `(089) 123456`. */
const BRACKETED = /^\((?:\d{2,5}\) ?\d{1,5}(?:[- ]\d{2,4}){1,3}|0\d{1,4}\) ?\d{5,8})$/;

/** `8 (495) 123-45-67`. */
const RUSSIAN = /^8[ -]?\(\d{3,5}\)[ -]?\d{1,3}[- ]\d{2}[- ]\d{2}$/;

function isTrunkShape(digits: string, groups: readonly number[]): boolean {
  return digits.startsWith('0') && digits.length >= 9 && digits.length <= 12 && groups.length >= 2 && (groups[0] ?? 0) <= 5;
}
