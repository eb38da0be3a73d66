import type { Document, Label, Span } from './documents.ts';

/** A token of an annotated text. `begins`: whether it starts a name, rather than continuing one. */
export interface Labelled<L extends string = Label> {
  readonly token: string;
  readonly label: L | undefined;
  readonly begins: boolean;
  /** Whether a space follows. Guessed if undefined. */
  readonly spaced?: boolean;
}

const CLINGS = /^(?:[.,!?;:)\]%…”]|n't|['’](?:s|m|re|ve|ll|d)$|['’]$)/i;
const OPENS = /^[([#$@“‘]$/;
const QUOTES: ReadonlySet<string> = new Set(['"', '``', "''"]);

/** Writes a sentence's tokens as running text. */
export function runningText<L extends string>(tokens: readonly Labelled<L>[]): Document<L> {
  let text = '';
  let isOpen = true;
  let isQuoted = false;
  const spans: Span<L>[] = [];
  let before: L | undefined;
  for (const one of tokens) {
    const isQuote = QUOTES.has(one.token);
    if (!isOpen && !CLINGS.test(one.token) && !(isQuote && isQuoted)) text += ' ';
    isOpen = isOpenAfter(one, isQuote && !isQuoted);
    if (isQuote) isQuoted = !isQuoted;
    const start = text.length;
    text += isQuote ? '"' : one.token;
    if (one.label !== undefined)
      addSpan(spans, { label: one.label, start, end: text.length }, one.label === before && !one.begins);
    before = one.label;
  }
  return { text, spans, invented: false, pattern: text };
}

/** Whether no space follows. */
function isOpenAfter({ token, spaced }: Labelled<string>, isOpening: boolean): boolean {
  return spaced === undefined ? OPENS.test(token) || isOpening : !spaced;
}

function addSpan<L extends string>(spans: Span<L>[], span: Span<L>, continues: boolean): void {
  const last = spans.at(-1);
  if (continues && last !== undefined) spans[spans.length - 1] = { ...last, end: span.end };
  else spans.push(span);
}

/** Joins texts. Their spans move along. */
export function joined<L extends string>(documents: readonly Document<L>[], separator: string): Document<L> {
  let text = '';
  const spans: Span<L>[] = [];
  for (const document of documents) {
    if (text !== '') text += separator;
    const offset = text.length;
    spans.push(...document.spans.map(({ label, start, end }) => ({ label, start: start + offset, end: end + offset })));
    text += document.text;
  }
  return { text, spans, invented: false, pattern: text };
}
