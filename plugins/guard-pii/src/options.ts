import { ENTITY_NAME, RestoreOption } from '@svc/toolkit/masking';
import { type Static, Type } from 'typebox';
import { DEFAULT_ENTITIES, KNOWN_ENTITIES } from './entities.ts';
import { DEFAULT_LANGUAGES, LANGUAGES } from './languages/languages.ts';

const OperatorRecogniser = Type.Object(
  {
    entity: Type.String({
      pattern: ENTITY_NAME,
      description: 'Name of the entity in placeholders and findings. It may be the name of an existing entity.',
    }),
    pattern: Type.String({
      minLength: 1,
      description: 'An RE2 pattern; `(?i)` at the start makes it case-insensitive.',
    }),
    max_match: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description:
          'Length of the longest match that must be found, in UTF-16 code units, for a pattern of unbounded length. Default 256.',
      }),
    ),
    score: Type.Number({ minimum: 0, maximum: 1, default: 0.6, description: 'The score of a match without context.' }),
    context: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'Words that add 0.35 to the score if they occur at most five words before the match. Whole words, case-insensitive; an entry may also be two words separated by a space.',
    }),
  },
  { additionalProperties: false },
);
export type OperatorRecogniser = Static<typeof OperatorRecogniser>;

const Entity = Type.Enum([...KNOWN_ENTITIES]);

export const Options = Type.Object(
  {
    threshold: Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.4,
      description: 'Minimum score to mask a match.',
    }),
    entities: Type.Array(Entity, {
      default: [...DEFAULT_ENTITIES],
      warnOfDropped: true,
      description: 'The exact list of entities.',
    }),
    extra_entities: Type.Array(Entity, { default: [], description: 'Entities in addition to `entities`.' }),
    exclude: Type.Array(Entity, { default: [], description: 'Entities to remove from these lists.' }),
    languages: Type.Array(Type.Enum([...LANGUAGES]), {
      default: [...DEFAULT_LANGUAGES],
      minItems: 1,
      description:
        'Languages in which to look for names (`PERSON`, `LOCATION`). Texts whose language is unclear are always searched for names. All other entities are found in every language.',
    }),
    allow_list: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Values that are never masked. Whole values, case-insensitive.',
    }),
    recognizers: Type.Array(OperatorRecogniser, {
      default: [],
      description: 'Your own patterns, in addition to `entities`.',
    }),
    preset: Type.Optional(
      Type.Enum(['agents'], {
        description:
          'For coding agents. Restores every value with its original spelling, also in tool-call arguments. Does not mask values that the model itself writes. Does not look for names in instructions and tool definitions.',
      }),
    ),
    restore: RestoreOption,
    verdict: Type.Enum(['sanitize', 'block', 'require_approval'], {
      default: 'sanitize',
      description: 'What happens on a match. With `require_approval` the approver sees the masked text.',
    }),
    stream: Type.Optional(
      Type.Enum(['window', 'post', 'buffer'], {
        description:
          'How a streamed answer is checked. `window`: as it arrives, holding back text that may still become a match. `post`: sent unchanged and checked at the end. `buffer`: checked as a whole before it is sent. Default: `window`, or `buffer` with `require_approval`.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
