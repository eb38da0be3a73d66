import { groupedNumber, writtenNumber } from '../../text/grouped-number.ts';
import type { Token } from '../../text/tokens.ts';
import { type Recogniser, words } from '../recogniser.ts';
import { writtenAs } from './written-as.ts';

/** How a number is written. */
interface Spelling {
  /** Lengths of its groups of digits, see {@link writtenNumber}. */
  readonly shapes: readonly (readonly number[])[];
  /** The signs that may be between its groups, in any order. Without them, there is the same sign between all groups, or none. */
  readonly signs?: string;
  /** Letters that may come directly before it. */
  readonly prefix?: string;
}

/** A recogniser of numbers with a check digit. `labels` are its context words, see {@link words}. */
export function checkedNumber(
  entity_type: string,
  { shapes, signs, prefix }: Spelling,
  labels: string,
  isValid: (digits: string) => boolean,
): Recogniser {
  const read = (text: string, token: Token, shape: readonly number[]) =>
    signs === undefined ? groupedNumber(text, token, shape) : writtenNumber(text, token, shape, signs);
  return {
    entity_type,
    anchor: 'token',
    digits: shapes.map((shape) => shape.reduce((sum, size) => sum + size, 0)),
    context: { for: words(labels) },
    at(text, token) {
      const { start, group } = token;
      if (group.start > start && text.slice(start, group.start).toUpperCase() !== prefix) return null;
      for (const shape of shapes) {
        const number = read(text, token, shape);
        if (number !== null) return { start, end: number.end, score: isValid(number.digits) ? 1 : 0 };
      }
      return null;
    },
  };
}

/** Like {@link checkedNumber}, for numbers with letters: `form` is a sticky pattern, `digits` as in a recogniser. */
export function checkedCode(
  entity_type: string,
  { form, digits }: { readonly form: RegExp; readonly digits?: readonly number[] },
  labels: string,
  isValid: (code: string) => boolean,
): Recogniser {
  return {
    entity_type,
    anchor: 'token',
    digits,
    context: { for: words(labels) },
    at(text, { start }) {
      const written = writtenAs(form, text, start);
      return written === null ? null : { start, end: written.end, score: isValid(written.code) ? 1 : 0 };
    },
  };
}
