import type { Finder } from '@svc/toolkit/masking';
import { assistantOpenFrom, withoutAssistants } from './names/assistants.ts';
import { hasLetter } from './names/characters.ts';
import { findNames } from './names/find-names.ts';
import { nameOpenFrom } from './names/name-open-from.ts';
import { NEAR, plainWordsOpenFrom } from './names/plain-words.ts';
import { NO_NAMES } from './recognisers/nrp-words.ts';

/** How many code units before a name may matter, and the maximum length of a name including the text after it that matters. See names/. */
const CONTEXT = 160;
const REACH = 320;

/**
 * The name model as a finder.
 * @param labels lower-case words that are never names, such as the label of a number (`IBAN: …`), even if capitalised
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
          // In "I am German", the nationality is not a name.
          return !labels.has(word) && !NO_NAMES.has(word);
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
