import type { Document, Label } from './documents.ts';

const LABELS: Readonly<Record<string, Label>> = {
  PERSON: 'PERSON',
  GPE: 'LOCATION',
  LOCATION: 'LOCATION',
  STREET_ADDRESS: 'STREET',
  STREET_NAME: 'STREET',
  ORGANIZATION: 'ORGANIZATION',
};

/** Parses lines of `{ text, spans: [{ entity_type, start, end }] }`, with offsets in code points. */
export function sentencesOf(jsonl: string): Document[] {
  return jsonl
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { text, spans } = JSON.parse(line) as Sentence;
      const offsets = codeUnitOffsets(text);
      const at = (point: number) => offsets[point] ?? text.length;
      const sorted = spans
        .map((span) => ({ ...span, start: at(span.start), end: at(span.end) }))
        .sort((a, b) => a.start - b.start);
      return {
        text,
        spans: sorted.flatMap(({ entity_type, start, end }) => {
          const label = LABELS[entity_type];
          return label === undefined ? [] : [{ label, start, end }];
        }),
        invented: false,
        pattern: patternOf(text, sorted),
      };
    });
}

interface Sentence {
  readonly text: string;
  readonly spans: readonly { readonly entity_type: string; readonly start: number; readonly end: number }[];
}

function codeUnitOffsets(text: string): number[] {
  const offsets: number[] = [];
  let at = 0;
  for (const character of text) {
    offsets.push(at);
    at += character.length;
  }
  return offsets;
}

/** The sentence with entity names in place of its spans. Sentences of the same template have the same pattern. */
function patternOf(text: string, spans: Sentence['spans']): string {
  let pattern = '';
  let from = 0;
  for (const { entity_type, start, end } of spans) {
    pattern += `${text.slice(from, start)}{${entity_type}}`;
    from = Math.max(from, end);
  }
  return (pattern + text.slice(from)).toLowerCase();
}
