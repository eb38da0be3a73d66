import { allow, defineGuard, type Edit, type Segment, sanitize } from '@svc/sdk';
import { type Static, Type } from 'typebox';

const Options = Type.Object(
  {
    words: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description: 'Words to find, exactly as written.' }),
    replacement: Type.String({ default: '<REMOVED>', description: 'The text that replaces them.' }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;

/** Matches of the words in a segment, from left to right: edits must not overlap. Offsets are UTF-16 code units. */
function editsOf({ index, text }: Segment, { words, replacement }: Options): Edit[] {
  const edits: Edit[] = [];
  for (let start = 0; start < text.length; ) {
    const word = words.find((candidate) => text.startsWith(candidate, start));
    if (word !== undefined) edits.push({ segment: index, start, end: start + word.length, replacement });
    start += word?.length ?? 1;
  }
  return edits;
}

/** The guard `{{type}}`: see README.md. Without `stream`, the gateway buffers a streamed answer until it was checked. */
export default defineGuard({
  type: '{{type}}',
  options: Options,
  create: (options) => ({
    stages: ['ingress', 'egress'],
    verdicts: ['sanitize'],
    check(segments) {
      const edits = segments.flatMap((segment) => editsOf(segment, options));
      if (edits.length === 0) return allow('no-word');
      // Findings are recorded as evidence: kinds and counts, never the text itself.
      return sanitize('word-removed', { edits, findings: [{ entity_type: 'WORD', count: edits.length }] });
    },
  }),
});
