import { printable } from '../../commands/terminal.ts';

/** HTML that needs no more escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Content = Html | string | number | null | readonly Content[];

/** A template of HTML. Every value is escaped, except other HTML. Null is nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.map((part, n) => part + (n < values.length ? shown(values[n] ?? null) : '')).join(''));
}

function shown(value: Content): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(shown).join('');
  return escaped(String(value));
}

function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
