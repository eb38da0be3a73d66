/** HTML that needs no more escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | null | readonly Content[];

/** A template of HTML. Every value is escaped, except other HTML. Null is empty. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(parts.map((part, n) => part + (n < values.length ? shown(values[n] ?? null) : '')).join(''));
}

function shown(value: Content): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(shown).join('');
  return escaped(String(value));
}

/** Control and direction characters become visible, because they could change what a reader sees. */
const HIDDEN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function escaped(text: string): string {
  return text.replace(HIDDEN, '\ufffd').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
