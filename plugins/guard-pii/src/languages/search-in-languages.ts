import type { Search } from '@svc/toolkit/masking';
import type { Found } from '../text/found.ts';
import { LanguageReader } from './language-reader.ts';
import type { Language } from './languages.ts';

/** From here on, it is clear that a text is in no listed language. It takes two words, also after sentences in another language. */
const CLEARLY_OTHER = 12;
/** From here on, it is clear that a text is in a listed language. */
const CLEARLY_LISTED = -6;
/** Enough if nothing else follows: what sentences in another language leave. No word says as much by itself. */
const PROBABLY_OTHER = 9;
/** How many code units after a name are read while the language is unclear. */
const AFTER = 48;

/** Leaves out what is found in text that reads as another language than the listed ones. */
export function searchInLanguages(search: Search, listed: readonly Language[]): Search {
  const reader = new LanguageReader(listed);
  /** Findings from left to right, from the first whose language is unclear. */
  let waiting: Found[] = [];
  return {
    get certain() {
      return Math.min(search.certain, waiting[0]?.start ?? Infinity);
    },
    advance(text, ended) {
      reader.take(text);
      if (ended) reader.end();
      const found = search.advance(text, ended);
      return found instanceof Promise ? found.then((later) => decided(later, ended)) : decided(found, ended);
    },
  };

  function decided(found: readonly Found[], ended: boolean): readonly Found[] {
    if (found.length > 0) waiting.push(...[...found].sort((a, b) => a.start - b.start));
    const listed: Found[] = [];
    let first = 0;
    for (; first < waiting.length; first++) {
      const finding = waiting[first];
      if (finding === undefined) break;
      const isIn = isInListed(finding, ended);
      if (isIn === undefined) break;
      if (isIn) listed.push(finding);
    }
    if (first > 0) waiting = waiting.slice(first);
    if (waiting.length === 0) reader.changes.forget(search.certain);
    return listed;
  }

  /** Undefined if text that follows may decide. Unclear text counts as listed, because missing a name is worse than masking a word. */
  function isInListed({ start, end }: Found, ended: boolean): boolean | undefined {
    reader.changes.forget(start);
    let last = 0;
    const isIn = reader.changes.find((difference, at, endsSentence) => {
      if (at > end + AFTER || (endsSentence && at >= end)) return last < PROBABLY_OTHER;
      if (difference >= CLEARLY_OTHER) return false;
      if (difference <= CLEARLY_LISTED) return true;
      last = difference;
      return undefined;
    });
    return isIn ?? (ended || reader.length > end + AFTER ? last < PROBABLY_OTHER : undefined);
  }
}
