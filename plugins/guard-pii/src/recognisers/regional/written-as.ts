import { goesOnBefore, isContinued } from '../../text/grouped-number.ts';

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
  if (isContinued(text, end)) return null;
  const code = text.slice(start, end).replace(/[^A-Za-z0-9]/g, '');
  return { code: code.toUpperCase(), end };
}
