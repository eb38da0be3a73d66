import type { Finder } from '@svc/toolkit/masking';
import { Languages } from './languages/in-languages.ts';
import { DEFAULT_LANGUAGES, LANGUAGES, type Language } from './languages/languages.ts';
import { assistantOpenFrom, withoutAssistants } from './names/assistants.ts';
import { hasLetter } from './names/characters.ts';
import { findNames, mayNameBegin } from './names/find-names.ts';
import { nameOpenFrom } from './names/name-open-from.ts';
import { NEAR, plainWordsOpenFrom } from './names/plain-words.ts';
import { type Token, tokensOf } from './names/tokens.ts';
import { NO_NAMES } from './recognisers/nrp-words.ts';
import type { Found } from './text/found.ts';

/** How many code units before a name may matter, and the maximum length of a name including the text after it that matters. See names/. */
const CONTEXT = 160;
const REACH = 320;

/** How much of the end of a text is read for names whose language is still open: the context, a name, and the text after it that matters. */
const TAIL = 400;

export interface NameSettings {
  readonly threshold: number;
  /** Lower-case words that are never names, such as the label of a number (`IBAN: …`), even if capitalised. */
  readonly labels?: ReadonlySet<string>;
  /** Names are found in texts of these languages, and of unclear ones. */
  readonly languages?: readonly Language[];
}

/** The names in any language from `from` on, from left to right. */
interface Searched {
  readonly text: string;
  readonly from: number;
  readonly tokens: readonly Token[];
  readonly names: readonly Found[];
}

/** The name model as a finder. */
export function nameFinder(
  entities: ReadonlySet<string>,
  { threshold, labels = new Set(), languages = DEFAULT_LANGUAGES }: NameSettings,
): Finder {
  const listed = new Languages(languages);
  const isAny = languages.length === LANGUAGES.length;
  let searched: Searched | undefined;

  return {
    context: CONTEXT,
    reach: REACH,
    find(text, from) {
      if (!hasLetter(text, from)) return [];
      const base = Math.max(0, from - CONTEXT);
      return placed(text.slice(base), from - base, true)
        .filter(({ isListed }) => isListed)
        .map(({ entity_type, start, end, score }) => ({
          entity_type,
          start: start + base,
          end: end + base,
          score: Math.round(score * 100) / 100,
        }));
    },
    openFrom(text, from) {
      if (!hasLetter(text, from)) return text.length;
      const open = Math.min(nameOpenFrom(text, from), assistantOpenFrom(text, from));
      return isAny || open <= from ? open : Math.min(open, languageOpenFrom(text, from, open));
    },
    plain: { before: NEAR, openFrom: plainWordsOpenFrom },
  };

  /** The start of the first name whose language is still open, of those that end before `open`. The text's length if there is none. */
  function languageOpenFrom(text: string, from: number, open: number): number {
    if (!mayNameBegin(text, from, open)) return text.length;
    const base = Math.max(0, text.length - TAIL);
    const names = placed(text.slice(base), Math.max(from - base, base === 0 ? 0 : CONTEXT), false);
    const undecided = names.find(({ end, isListed }) => end + base <= open && isListed === undefined);
    return undecided === undefined ? text.length : undecided.start + base;
  }

  /**
   * The names from `from` on, from left to right, and whether each is in a text of a listed language. Undefined if more text may decide.
   * @param ended whether nothing follows the text
   */
  function placed(text: string, from: number, ended: boolean): (Found & { isListed: boolean | undefined })[] {
    const { tokens, names } = namesIn(text, from, ended);
    let first = 0;
    return names.map((name) => {
      while ((tokens[first]?.end ?? text.length) <= name.start) first++;
      return { ...name, isListed: isAny || listed.include(text, tokens, first, name, ended) };
    });
  }

  /** @param last whether the text is not searched again. A stream first asks where it is open, and then searches the same text. */
  function namesIn(text: string, from: number, last: boolean): Searched {
    const again = searched?.from === from && searched.text === text ? searched : undefined;
    searched = undefined;
    if (again !== undefined) return again;
    const tokens = tokensOf(text);
    const names = withoutAssistants(text, findNames(text, entities, from, tokens), entities)
      .filter(({ start, end, score }) => start >= from && score >= threshold && isName(text.slice(start, end)))
      .sort((a, b) => a.start - b.start);
    const found = { text, from, tokens, names };
    if (!last) searched = found;
    return found;
  }

  /** In "I am German", the nationality is not a name. */
  function isName(words: string): boolean {
    const word = words.toLowerCase();
    return !labels.has(word) && !NO_NAMES.has(word);
  }
}
