import type { Finder } from '@svc/toolkit/masking';
import { assistantOpenFrom, withoutAssistants } from './names/assistants.ts';
import { hasLetter } from './names/characters.ts';
import { findNames } from './names/find-names.ts';
import { nameOpenFrom } from './names/name-open-from.ts';
import { NEAR, plainWordsOpenFrom } from './names/plain-words.ts';
import { NRP_WORDS } from './recognisers/nrp-words.ts';

/** What may matter before a name, and how long a name and what follows it may be, code units; see names/. */
const CONTEXT = 160;
const REACH = 320;

/**
 * The tagger of names as a finder.
 *
 * @param labels words in lower case that are no names, such as those that name a number (`IBAN: …`): capitals make none of them
 */
export function nameFinder(entities: ReadonlySet<string>, threshold: number, labels: ReadonlySet<string> = new Set()): Finder {
  return {
    context: CONTEXT,
    reach: REACH,
    find(text, from) {
      if (!hasLetter(text, from)) return [];
      const base = Math.max(0, from - CONTEXT);
      const seen = text.slice(base);
      return withoutAssistants(seen, findNames(seen, entities, from - base), entities)
        .filter(({ start, score }) => start + base >= from && score >= threshold)
        .filter(({ start, end }) => {
          const word = text.slice(start + base, end + base).toLowerCase();
          // "I am German" says no name.
          return !labels.has(word) && !NRP_WORDS.has(word);
        })
        .map(({ entity_type, start, end, score }) => ({
          entity_type,
          start: start + base,
          end: end + base,
          score: Math.round(score * 100) / 100,
        }));
    },
    openFrom: (text, from) =>
      hasLetter(text, from) ? Math.min(nameOpenFrom(text, from), assistantOpenFrom(text, from)) : text.length,
    plain: { before: NEAR, openFrom: plainWordsOpenFrom },
  };
}
