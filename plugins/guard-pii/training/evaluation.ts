import type { Model } from '../src/names/model.ts';
import { runsOf } from '../src/names/runs.ts';
import { LOCATION, PERSON, tagsOf } from '../src/names/tags.ts';
import { tokensOf } from '../src/names/tokens.ts';
import type { Document, Span } from './documents.ts';

export interface Counts {
  readonly right: number;
  readonly found: number;
  readonly there: number;
}

/** Counts the spans of one label. A span is right if its intersection over union with an unused labelled span is at least a half. */
export function countsOf(documents: readonly Document[], model: Model, label: 'PERSON' | 'LOCATION', wrong?: string[]): Counts {
  let right = 0;
  let found = 0;
  let there = 0;
  for (const document of documents) {
    const left = document.spans.filter((span) => span.label === label);
    there += left.length;
    for (const span of spansOf(document.text, model, label)) {
      if (label === 'LOCATION' && document.spans.some((other) => other.label === 'STREET' && overlap(span, other) > 0)) continue;
      found++;
      const match = left.findIndex((other) => overlap(span, other) >= 0.5);
      if (match >= 0) {
        right++;
        left.splice(match, 1);
      } else wrong?.push(shown('+', document.text, span));
    }
    for (const span of left) wrong?.push(shown('-', document.text, span));
  }
  return { right, found, there };
}

function spansOf(text: string, model: Model, label: 'PERSON' | 'LOCATION'): Omit<Span, 'label'>[] {
  const tokens = tokensOf(text);
  const kind = label === 'PERSON' ? PERSON : LOCATION;
  return runsOf(tokens, tagsOf(text, tokens, model))
    .filter((run) => run.kind === kind)
    .map(({ first, last }) => ({ start: tokens[first]?.start ?? 0, end: tokens[last]?.end ?? 0 }));
}

function overlap(one: Omit<Span, 'label'>, other: Omit<Span, 'label'>): number {
  const both = Math.min(one.end, other.end) - Math.max(one.start, other.start);
  return both <= 0 ? 0 : both / (Math.max(one.end, other.end) - Math.min(one.start, other.start));
}

function shown(sign: string, text: string, { start, end }: Omit<Span, 'label'>): string {
  return `${sign} ${JSON.stringify(`${text.slice(Math.max(0, start - 40), start)}[${text.slice(start, end)}]${text.slice(end, end + 25)}`)}`;
}

export function sum(all: readonly Counts[]): Counts {
  return all.reduce((one, other) => ({
    right: one.right + other.right,
    found: one.found + other.found,
    there: one.there + other.there,
  }));
}

export function figures({ right, found, there }: Counts): string {
  const precision = right / found;
  const recall = right / there;
  const f1 = (2 * precision * recall) / (precision + recall);
  return `F1 ${f1.toFixed(3)} (P ${precision.toFixed(3)}, R ${recall.toFixed(3)}; ${there} there)`;
}
