import type { Found } from './found.ts';
import type { Search } from './search.ts';
import { VisibleText } from './visible-text.ts';

/**
 * A search over the visible characters of a text, so that `4111<zero-width space>1111 …` is recognized as a card. Offsets are those of the
 * original text.
 */
export function searchThrough(search: Search): Search {
  const text = new VisibleText();
  return {
    get certain() {
      return text.written(search.certain);
    },
    advance(piece, ended) {
      // Keeps two more characters, because an end is located by the character before it.
      text.forget(search.certain - 2);
      const found = search.advance(text.take(piece), ended);
      if (found instanceof Promise) return found.then((later) => later.map(inWritten));
      return found.length === 0 ? found : found.map(inWritten);
    },
  };

  function inWritten(finding: Found): Found {
    return { ...finding, start: text.written(finding.start), end: text.writtenEnd(finding.end) };
  }
}
