import { hashOf, TITLES } from '../src/names/words.ts';
import type { Document, Label, Span } from './documents.ts';

const LABELS: ReadonlyMap<string, Label> = new Map([
  ['PROP_PER', 'PERSON'],
  ['PROP_GPE', 'LOCATION'],
  ['PROP_LOC', 'LOCATION'],
  ['PROP_FAC', 'STREET'],
]);
/** A longer mention contains more than a name. */
const MAX_WORDS = 3;

/** Makes a document of a text and its annotations in the format of brat. A name is a short mention by a proper noun, without its title. */
export function bratOf(text: string, annotations: string): Document {
  const spans: Span[] = [];
  for (const line of annotations.split('\n')) {
    const [, kind = '', start = '', end = ''] = /^T\d+\t(\w+) (\d+) (\d+)\t/.exec(line) ?? [];
    const label = LABELS.get(kind);
    if (label === undefined) continue;
    const span = withoutTitle(text, Number(start), Number(end));
    if (text.slice(span.start, span.end).split(/\s+/).length <= MAX_WORDS) spans.push({ label, ...span });
  }
  return { text, spans, invented: false, pattern: text };
}

function withoutTitle(text: string, start: number, end: number): { start: number; end: number } {
  const [all = '', word = ''] = /^(\p{L}+)\.?\s+/u.exec(text.slice(start, end)) ?? [];
  return { start: TITLES.has(hashOf(word)) ? start + all.length : start, end };
}
