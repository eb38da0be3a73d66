import { parse } from 'tldts';
import { isAlphanumeric, isWordCharacter } from '../text/characters.ts';
import { type Recogniser, type SignRecogniser, words } from './recogniser.ts';

/** Maximum length of the local part and of the domain (RFC 5321). */
const MAX_LOCAL = 64;
const MAX_DOMAIN = 253;

/** Domain suffixes of organisations and examples that are not public suffixes (RFC 2606, 6761, 6762, 8375, 9476; ICANN on `internal`). */
const PRIVATE = words(
  'internal local localhost localdomain lan corp home intranet intra private domain workgroup test example invalid home.arpa alt onion',
);
/** Suffixes after an `@` that do not belong to hosts: `icon@2x.png`, `getty@tty1.service`, `jest@latest.tgz`. */
const FILES = words(
  `png jpg jpeg gif svg webp ico bmp pdf css scss js mjs cjs ts tsx jsx json html htm xml yaml yml toml txt csv log lock tgz gz tar bz2 xz
  whl jar war class java py rb go php service socket target timer mount slice scope`,
);
/** The scores of host names. Public and private suffixes are certain; others may belong to program code. */
const SCORES = { known: 1, form: 0.5, hostAlone: 0.1 } as const;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^(?:${LABEL}\\.)+[a-z]{2,24}$`, 'i');
const HOST = /^(?=[a-z0-9-]{0,62}[a-z])[a-z0-9][a-z0-9-]{1,62}$/i;

/**
 * Reads in both directions from an `@`. A domain with a public or private suffix is certain. Any other domain is judged by its form, and a bare host
 * name needs context.
 */
export const emailAddress: Recogniser = addressAround('@');

/** An address in a link or a form, where `@` is percent-encoded (RFC 3986). */
export const encodedEmailAddress: Recogniser = addressAround('%40');

function addressAround(sign: Exclude<SignRecogniser['anchor'], ':'>): SignRecogniser {
  return {
    entity_type: 'EMAIL_ADDRESS',
    anchor: sign,
    context: { for: words('email e-mail mail emails mailto') },
    at(text, at) {
      let start = at;
      while (start > 0 && at - start < MAX_LOCAL && isLocal(text.charCodeAt(start - 1))) start -= 1;
      while (start < at && !isWordCharacter(text.charCodeAt(start)) && text.charAt(start) !== '_') start += 1;
      if (start === at || text.charAt(at - 1) === '.') return null;
      const from = at + sign.length;
      let end = from;
      while (end < text.length && end - from < MAX_DOMAIN && isDomain(text.charCodeAt(end))) end += 1;
      while (end > from && !isWordCharacter(text.charCodeAt(end - 1))) end -= 1;
      const name = text.slice(from, end);
      const domain = knownDomain(name);
      if (domain !== '') return { start, end: from + domain.length, score: SCORES.known };
      const score = scoreOf(name, text.charAt(end));
      return score === 0 ? null : { start, end, score };
    },
  };
}

/** The score of a domain with an unknown suffix. A call such as `matrix@other.transpose(` is program code. */
function scoreOf(name: string, next: string): number {
  if (HOST.test(name)) return SCORES.hostAlone;
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return NAME.test(name) && next !== '(' && !FILES.has(ending) ? SCORES.form : 0;
}

/** The longest prefix that is a domain with a public or private suffix. The rest may be a new sentence that follows the dot directly. */
function knownDomain(name: string): string {
  let domain = name;
  while (domain.includes('.')) {
    if (isPrivateName(domain)) return domain;
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

function isPrivateName(domain: string): boolean {
  const [ending = '', before = ''] = domain.toLowerCase().split('.').reverse();
  return PRIVATE.has(ending) || PRIVATE.has(`${before}.${ending}`);
}

function isLocal(code: number): boolean {
  return isWordCharacter(code) || LOCAL_SIGNS.has(code);
}

function isDomain(code: number): boolean {
  return isAlphanumeric(code) || isWordCharacter(code) || code === 45 || code === 46;
}

const LOCAL_SIGNS: ReadonlySet<number> = new Set([...".%&'+_-"].map((sign) => sign.charCodeAt(0)));
