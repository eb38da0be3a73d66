import { parse } from 'tldts';
import { isAlphanumeric, isWordCharacter } from '../characters.ts';
import { type Recogniser, words } from './recogniser.ts';

/** Longest local part and longest domain (RFC 5321). */
const MOST_LOCAL = 64;
const MOST_DOMAIN = 253;

/** Looks both ways from an `@`; the domain must end in a public suffix. */
export const emailAddress: Recogniser = {
  entity_type: 'EMAIL_ADDRESS',
  anchor: '@',
  context: { for: words('email e-mail mail emails mailto') },
  at(text, sign) {
    let start = sign;
    while (start > 0 && sign - start < MOST_LOCAL && isLocal(text.charCodeAt(start - 1))) start -= 1;
    while (start < sign && !isWordCharacter(text.charCodeAt(start)) && text.charAt(start) !== '_') start += 1;
    if (start === sign || text.charAt(sign - 1) === '.') return null;
    let end = sign + 1;
    while (end < text.length && end - sign <= MOST_DOMAIN && isDomain(text.charCodeAt(end))) end += 1;
    while (end > sign && !isWordCharacter(text.charCodeAt(end - 1))) end -= 1;
    const domain = publicDomain(text.slice(sign + 1, end));
    return domain === '' ? null : { start, end: sign + 1 + domain.length, score: 1 };
  },
};

/** The longest beginning that is a domain under a public suffix: a sentence may go on right after the dot. */
function publicDomain(name: string): string {
  let domain = name;
  while (domain.includes('.')) {
    const {
      isIcann,
      isPrivate,
      domain: registered,
    } = parse(domain.toLowerCase(), { allowPrivateDomains: true, extractHostname: false });
    if ((isIcann === true || isPrivate === true) && registered !== null) return domain;
    domain = domain.slice(0, domain.lastIndexOf('.'));
  }
  return '';
}

function isLocal(code: number): boolean {
  return isWordCharacter(code) || LOCAL_SIGNS.has(code);
}

function isDomain(code: number): boolean {
  return isAlphanumeric(code) || isWordCharacter(code) || code === 45 || code === 46;
}

const LOCAL_SIGNS: ReadonlySet<number> = new Set([...".%&'+_-"].map((sign) => sign.charCodeAt(0)));
