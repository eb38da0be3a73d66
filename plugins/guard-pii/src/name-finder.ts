import type { Finder } from '@svc/toolkit/masking';
import { Languages } from './languages/in-languages.ts';
import { DEFAULT_LANGUAGES, LANGUAGES, type Language } from './languages/languages.ts';
import { assistantOpenFrom, withoutAssistants } from './names/assistants.ts';
import { hasLetter } from './names/characters.ts';
import { findNames } from './names/find-names.ts';
import { nameOpenFrom } from './names/name-open-from.ts';
import { NEAR, plainWordsOpenFrom } from './names/plain-words.ts';
import { tokensOf } from './names/tokens.ts';
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

/** The name model as a finder. */
export function nameFinder(
  entities: ReadonlySet<string>,
  { threshold, labels = new Set(), languages = DEFAULT_LANGUAGES }: NameSettings,
): Finder {
  const listed = new Languages(languages);
  const isAny = languages.length === LANGUAGES.length;

  /** In any language. */
  function namesIn(text: string, from: number): Found[] {
    return withoutAssistants(text, findNames(text, entities, from), entities).filter(({ start, end, score }) => {
      const word = text.slice(start, end).toLowerCase();
      // In "I am German", the nationality is not a name.
      return start >= from && score >= threshold && !labels.has(word) && !NO_NAMES.has(word);
    });
  }

  return {
    context: CONTEXT,
    reach: REACH,
    find(text, from) {
      if (!hasLetter(text, from)) return [];
      const base = Math.max(0, from - CONTEXT);
      const seen = text.slice(base);
      const names = namesIn(seen, from - base);
      const inListed = isAny ? names : inLanguages(seen, names, true, listed).filter(([, is]) => is).map(([name])=>name);
      return inListed.map(({ entity_type, start, end, score }) => ({
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

  /** The start of the first name before `open` whose language is still open. */
  function languageOpenFrom(text: string, from: number, open: number): number {
    const base = Math.max(0, text.length - TAIL);
    const seen = text.slice(base);
    const names = namesIn(seen, Math.max(from - base, base === 0 ? 0 : CONTEXT)).filter(({ end }) => end + base <= open);
    const undecided = inLanguages(seen, names, false, listed).find(([, is]) => is === undefined);
    return undecided === undefined ? text.length : undecided[0].start + base;
  }
}

/** With each name, whether it is in a listed language. Undefined if that is still open. */
function inLanguages(text: string, names: readonly Found[], ended: boolean, listed: Languages): [Found, boolean | undefined][] {
  if (names.length === 0) return [];
  const tokens = tokensOf(text);
  let first = 0;
  return [...names].sort((a, b) => a.start - b.start).map((name) => {
    while (first < tokens.length && (tokens[first]?.end ?? 0) <= name.start) first++;
    return [name, listed.include(text, tokens, first, name, ended)];
  });
}
