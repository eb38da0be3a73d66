import { isWordCharacter } from '../../text/characters.ts';
import { goesOnAfter, goesOnBefore } from '../../text/digit-groups.ts';
import { type Recogniser, words } from '../recogniser.ts';

/** A number as written in the text, without its separators and in upper case, and its end. */
interface Written {
  readonly code: string;
  readonly end: number;
}

/** The number in this form (a sticky pattern) at `start`. Null if letters or digits continue it on either side. */
export function writtenAs(form: RegExp, text: string, start: number): Written | null {
  if (goesOnBefore(text, start)) return null;
  form.lastIndex = start;
  if (!form.test(text)) return null;
  const end = form.lastIndex;
  if (isWordCharacter(text.charCodeAt(end)) || goesOnAfter(text, end)) return null;
  return {
    code: text
      .slice(start, end)
      .replace(/[^A-Za-z0-9]/g, '')
      .toUpperCase(),
    end,
  };
}

/**
 * A recogniser of numbers with a check digit.
 * @param form a sticky pattern with all common groupings, for text that begins with a digit, or with a letter directly before one
 * @param labels its context words, see {@link words}
 */
export function checkedNumber(entity_type: string, form: RegExp, labels: string, isValid: (code: string) => boolean): Recogniser {
  return {
    entity_type,
    anchor: 'token',
    context: { for: words(labels) },
    at(text, { start }) {
      const written = writtenAs(form, text, start);
      return written === null ? null : { start, end: written.end, score: isValid(written.code) ? 1 : 0 };
    },
  };
}
