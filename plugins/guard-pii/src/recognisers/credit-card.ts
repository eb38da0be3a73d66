import { isLuhn } from '../checksums/luhn.ts';
import type { DigitGroup } from '../text/digit-groups.ts';
import { type GroupedNumber, goesOnAfter, groupedNumber } from '../text/grouped-number.ts';
import type { Token } from '../text/tokens.ts';
import { type Recogniser, words } from './recogniser.ts';

/** Group lengths in which card numbers are written. */
const SHAPES: readonly (readonly number[])[] = [
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4, 2],
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
  [4, 4, 5],
  [4, 4, 4],
];

/** Prefixes and lengths of the networks' numbers. Maestro's shorter numbers need context, because such numbers are too common. */
const NETWORKS: readonly RegExp[] = [
  /^4(?:\d{12}|\d{15}|\d{18})$/,
  /^(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^(?:6011|65\d{2}|64[4-9]\d|622\d)\d{12,15}$/,
  /^3(?:0[0-59]|[689]\d)\d{11}$/,
  /^35(?:2[89]|[3-8]\d)\d{12}$/,
  /^(?:1800|2131)\d{11}$/,
  /^62\d{14,17}$/,
  /^220[0-4]\d{12}$/,
  /^(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{12,15}$/,
];

/** Separators between groups, including those of a table or a narrow column. */
const SIGNS = ' -.\t\n';
/** For groups of other lengths. */
const OTHER_SIGNS = `${SIGNS}/`;
const SHORTEST_GROUP = 3;

/** Matches 12 to 19 digits that pass Luhn and are either a known network's or have a context word. */
export const creditCard: Recogniser = {
  entity_type: 'CREDIT_CARD',
  anchor: 'token',
  digits: [12, 13, 14, 15, 16, 17, 18, 19],
  context: {
    for: words(
      'card cards credit debit visa mastercard amex american_express discover diners jcb maestro cc ccn pan carte karte tarjeta carta',
    ),
  },
  at(text, token) {
    if (isFraction(text, token.start)) return null;
    const length = token.end - token.start;
    const usual = length >= 12 && length <= 19 ? groupedNumber(text, token, [length]) : inCardShape(text, token);
    const number = usual ?? inOtherShape(text, token);
    if (number === null || !isLuhn(number.digits) || /^(\d)\1+$/.test(number.digits)) return null;
    const isOfNetwork = NETWORKS.some((network) => network.test(number.digits));
    if (usual === null && !isOfNetwork) return null;
    return { start: token.start, end: number.end, score: usual !== null && isOfNetwork ? 1 : 0.3 };
  },
};

/** Whether the digits are the fraction of a decimal number, such as `.5446307051249019`. A full stop after a word ends a sentence. */
function isFraction(text: string, start: number): boolean {
  return text.charAt(start - 1) === '.' && !/[\p{L})"']/u.test(text.charAt(start - 2));
}

function inCardShape(text: string, token: Token): GroupedNumber | null {
  for (const shape of SHAPES) {
    const number = groupedNumber(text, token, shape, SIGNS);
    if (number !== null) return number;
  }
  return null;
}

/** The first 13 to 19 digits in groups of any length, with one sign between all of them. */
function inOtherShape(text: string, token: Token): GroupedNumber | null {
  const shape: number[] = [];
  let length = 0;
  for (let group: DigitGroup | null = token.group; group !== null; group = group.next) {
    const size = group.end - group.start;
    shape.push(size);
    length += size;
    if (size < SHORTEST_GROUP || length > 19) return null;
    if (length >= 13 && !goesOnAfter(text, group.end)) return groupedNumber(text, token, shape, OTHER_SIGNS);
  }
  return null;
}
