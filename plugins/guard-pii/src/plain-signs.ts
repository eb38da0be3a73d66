import type { Search } from '@svc/toolkit/masking';

/**
 * Spaces, dashes, full-width characters, and Arabic, Persian and Devanagari digits that correspond to ASCII ones. Each is one code unit,
 * like its plain form.
 */
const OTHERS = /[\u00a0\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u2000-\u200a\u2010-\u2015\u202f\u2212\u3000\uff01-\uff5e]/g;
const ANY = new RegExp(OTHERS.source);

/** The text with plain signs: `460–89–9847` becomes `460-89-9847`. Offsets do not change. */
export function withPlainSigns(text: string): string {
  return ANY.test(text) ? text.replace(OTHERS, plain) : text;
}

/** Searches text with plain signs. Each piece is converted once, however often it is searched. */
export function searchPlain(search: Search): Search {
  return {
    get certain() {
      return search.certain;
    },
    advance: (piece, ended) => search.advance(withPlainSigns(piece), ended),
  };
}

function plain(sign: string): string {
  const code = sign.charCodeAt(0);
  const zero = ZEROS.find((first) => code >= first && code < first + 10);
  if (zero !== undefined) return String(code - zero);
  if (code >= 0xff01) return String.fromCharCode(code - 0xfee0);
  return (code >= 0x2010 && code <= 0x2015) || code === 0x2212 ? '-' : ' ';
}
const ZEROS: readonly number[] = [0x0660, 0x06f0, 0x0966];
