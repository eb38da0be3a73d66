import ipaddr from 'ipaddr.js';
import { isDigit, isWordCharacter } from '../text/characters.ts';
import { type Recogniser, words } from './recogniser.ts';

const SCORE = 0.6;
const CONTEXT = {
  for: words('ip ipv4 ipv6 address host server'),
  // Nouns only, because hosts are also upgraded and patched.
  against: words('version versions release section chapter v software firmware build clause paragraph article rfc oid'),
};

const V4 = /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}/y;

export const ipv4Address: Recogniser = {
  entity_type: 'IP_ADDRESS',
  anchor: 'token',
  context: CONTEXT,
  at(text, { start, end }) {
    if (end - start > 3 || text.charAt(end) !== '.') return null;
    V4.lastIndex = start;
    if (/[.\d]/.test(text.charAt(start - 1)) || !V4.test(text)) return null;
    const last = V4.lastIndex;
    const isLonger = isWordCharacter(text.charCodeAt(last)) || (text.charAt(last) === '.' && isDigit(text.charCodeAt(last + 1)));
    if (isLonger || !ipaddr.IPv4.isValidFourPartDecimal(text.slice(start, last))) return null;
    return { start, end: last, score: SCORE };
  },
};

/** Maximum written length, including an embedded IPv4 address and the name of a zone. */
const MAX_V6 = 45;
const ZONE = /%[A-Za-z0-9]{1,15}/y;

/** Found at its first colon. An address must contain a digit: `abc::def` is a name in many programming languages. */
export const ipv6Address: Recogniser = {
  entity_type: 'IP_ADDRESS',
  anchor: ':',
  context: CONTEXT,
  at(text, sign) {
    let start = sign;
    while (start > 0 && sign - start < 5 && isHex(text.charCodeAt(start - 1))) start -= 1;
    const before = text.charCodeAt(start - 1);
    if (isWordCharacter(before) || before === COLON || (before === DOT && start > 1) || sign - start > 4) return null;
    let end = sign;
    let colons = 0;
    while (end < text.length && end - start < MAX_V6 && isV6(text.charCodeAt(end))) {
      if (text.charCodeAt(end) === COLON) colons += 1;
      end += 1;
    }
    if (colons < 2 || isWordCharacter(text.charCodeAt(end))) return null;
    while (text.charAt(end - 1) === '.' || (text.charAt(end - 1) === ':' && text.charAt(end - 2) !== ':')) end -= 1;
    const address = text.slice(start, end);
    if (!/\d/.test(address) || !hasGroups(address, colons) || !ipaddr.IPv6.isValid(address)) return null;
    ZONE.lastIndex = end;
    const zoned = ZONE.test(text) && !isWordCharacter(text.charCodeAt(ZONE.lastIndex)) ? ZONE.lastIndex : end;
    return { start, end: zoned, score: SCORE };
  },
};

/**
 * A cheap test before parsing, which is slow and throws on failure: times of day also contain colons, and a text may have many. An address
 * has either all groups, or `::` in place of some.
 */
function hasGroups(address: string, colons: number): boolean {
  const short = address.indexOf('::');
  return short < 0 ? colons >= FEWEST_COLONS : short === address.lastIndexOf('::');
}
/** The minimum if the last 32 bits are written as an IPv4 address. */
const FEWEST_COLONS = 6;

const COLON = 58;
const DOT = 46;

function isHex(code: number): boolean {
  return isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}

function isV6(code: number): boolean {
  return isHex(code) || code === COLON || code === DOT;
}
