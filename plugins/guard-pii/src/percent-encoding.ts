import type { Found, Search } from '@svc/toolkit/masking';

/** Matches a percent-encoded character in UTF-8 (RFC 3986): `%40`, `%C3%A9`. Control characters are only white space. */
const ENCODED =
  /%(?:[2-7][0-9a-f]|0[9ad]|[cd][0-9a-f]%[89ab][0-9a-f]|e[0-9a-f](?:%[89ab][0-9a-f]){2}|f[0-4](?:%[89ab][0-9a-f]){3})/gi;
/** Matches the beginning of such a character at the end of a text. */
const OPEN = /%(?:[02-7c-f]?|[c-f][0-9a-f](?:%[89ab][0-9a-f]){0,2}(?:%[89ab]?)?)$/i;
/** A character that no search sees, see `searchThrough` of the toolkit. Fills the place of the code that was decoded. */
const FILLER = '\u200b';

/** The text with encoded characters in plain form: `jane%40example.com` becomes `jane@example.com`. */
export function decoded(text: string): string {
  return text.includes('%') ? text.replace(ENCODED, characterOf) : text;
}

/**
 * A search that reads percent-encoded characters as plain ones. The search must ignore invisible characters, because these fill the places, so that
 * offsets do not change.
 */
export function searchDecoded(search: Search): Search {
  /** An incomplete character at the end. */
  let held = '';
  let length = 0;
  let places: { readonly start: number; readonly end: number }[] = [];
  return {
    get certain() {
      return search.certain;
    },
    advance(piece, ended) {
      const text = held + piece;
      if (!text.includes('%')) {
        length += text.length;
        held = '';
        return whole(search.advance(text, ended));
      }
      const cut = ended ? text.length : text.length - (OPEN.exec(text)?.[0].length ?? 0);
      held = text.slice(cut);
      places = places.filter(({ end }) => end >= search.certain);
      const plain = text.slice(0, cut).replace(ENCODED, (code, at: number) => {
        places.push({ start: length + at, end: length + at + code.length });
        return characterOf(code).padEnd(code.length, FILLER);
      });
      length += cut;
      return whole(search.advance(plain, ended));
    },
  };

  function whole(found: readonly Found[] | Promise<readonly Found[]>): readonly Found[] | Promise<readonly Found[]> {
    if (found instanceof Promise) return found.then((later) => later.map(withLastCode));
    return places.length === 0 ? found : found.map(withLastCode);
  }

  /** A finding that ends with an encoded character includes all of its code. */
  function withLastCode(found: Found): Found {
    const last = places.find(({ start, end }) => start < found.end && found.end < end);
    return last === undefined ? found : { ...found, end: last.end };
  }
}

function characterOf(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    // Matches the form, but is not valid UTF-8.
    return code;
  }
}
