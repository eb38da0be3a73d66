import { ENTITY_NAME } from '@svc/toolkit/masking';
import { type Static, Type } from 'typebox';
import { DEFAULT_ENTITIES, KNOWN_ENTITIES } from './entities.ts';

const OperatorRecogniser = Type.Object(
  {
    entity: Type.String({
      pattern: ENTITY_NAME,
      description: 'Name of what it finds, as it stands in placeholders and findings. May be one that is there already.',
    }),
    pattern: Type.String({
      minLength: 1,
      description: 'An RE2 pattern; `(?i)` in front makes it case-insensitive.',
    }),
    max_match: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description:
          'The length of the longest match that must be found, in UTF-16 code units, where the pattern sets no bound itself. Default 256 for those.',
      }),
    ),
    score: Type.Number({ minimum: 0, maximum: 1, default: 0.6, description: 'How sure a match is without context.' }),
    context: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Words that add 0.35 where they stand up to five words before: whole words, in any case, or two with a space.',
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
      description: 'The least score of what is masked.',
    }),
    entities: Type.Array(Entity, {
      default: [...DEFAULT_ENTITIES],
      warnOfDropped: true,
      description: 'The exact list of what is looked for.',
    }),
    extra_entities: Type.Array(Entity, { default: [], description: 'Looked for beside `entities`.' }),
    exclude: Type.Array(Entity, { default: [], description: 'Taken from `entities`.' }),
    allow_list: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Values that are never masked: whole values, in any case.',
    }),
    recognizers: Type.Array(OperatorRecogniser, {
      default: [],
      description: 'Patterns of your own, looked for beside `entities`.',
    }),
    preset: Type.Optional(
      Type.Enum(['agents'], {
        description:
          'For coding agents. Restores every value as it was spelled, also in the arguments of tool calls. Does not mask what the model itself writes. Does not look for names in instructions and definitions of tools.',
      }),
    ),
    restore: Type.Boolean({
      default: false,
      description:
        "Puts the caller's own values back into the answer. Values that stand in system messages only stay placeholders.",
    }),
    verdict: Type.Enum(['sanitize', 'block', 'require_approval'], {
      default: 'sanitize',
      description: 'What follows where something is found. With `require_approval` the approver sees the text masked.',
    }),
    stream: Type.Optional(
      Type.Enum(['window', 'post', 'buffer'], {
        description:
          'How a streamed answer is looked at. `window`: as it comes, holding back what may still become a finding. `post`: it flows unchanged and is judged at its end. `buffer`: judged as a whole before it leaves. Default: `window`, or `buffer` with `require_approval`.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
