import type { Document, Label, Span } from './documents.ts';

/** A token of an annotated text. `begins`: whether it starts a name, rather than continuing one. */
export interface Labelled {
  readonly token: string;
  readonly label: Label | undefined;
  readonly begins: boolean;
  /** Whether a space follows. Guessed if undefined. */
  readonly spaced?: boolean;
}

const CLINGS = /^(?:[.,!?;:)\]%…”]|n't|['’](?:s|m|re|ve|ll|d)$|['’]$)/i;
const OPENS = /^[([#$@“‘]$/;

/** Writes a sentence's tokens as running text. */
export function runningText(tokens: readonly Labelled[]): Document {
  let text = '';
  let open = true;
  let quoted = false;
  const spans: Span[] = [];
  let before: Label | undefined;
  for (const { token, label, begins, spaced } of tokens) {
    const isQuote = token === '"' || token === '``' || token === "''";
    if (!open && !CLINGS.test(token) && !(isQuote && quoted)) text += ' ';
    open = spaced === undefined ? OPENS.test(token) || (isQuote && !quoted) : !spaced;
    if (spaced === true && CLINGS.test(token)) open = false;
    if (isQuote) quoted = !quoted;
    const start = text.length;
    text += isQuote ? '"' : token;
    const last = spans.at(-1);
    if (label !== undefined && label === before && !begins && last !== undefined)
      spans[spans.length - 1] = { ...last, end: text.length };
    else if (label !== undefined) spans.push({ label, start, end: text.length });
    before = label;
  }
  return { text, spans, invented: false, pattern: text };
}

/** Joins texts. Their spans move along. */
export function joined(documents: readonly Document[], separator: string): Document {
  let text = '';
  const spans: Span[] = [];
  for (const document of documents) {
    if (text !== '') text += separator;
    const offset = text.length;
    spans.push(...document.spans.map(({ label, start, end }) => ({ label, start: start + offset, end: end + offset })));
    text += document.text;
  }
  return { text, spans, invented: false, pattern: text };
}
