import { type Static, Type } from 'typebox';

const Rule = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9._-]{1,64}$',
      description: 'Unique. Shown to callers as the code and recorded as the finding, so it must not tell the pattern.',
    }),
    match: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'An RE2 pattern; `(?i)` in front makes it case-insensitive. Searched for in each text.',
      }),
    ),
    words: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        description: 'Whole words or phrases, taken literally, in any case. A space stands for up to 8 spaces or line breaks.',
      }),
    ),
    max_characters: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Most characters (Unicode code points) that one text may have.' }),
    ),
    verdict: Type.Enum(['sanitize', 'block', 'require_approval']),
    replacement: Type.Optional(
      Type.String({
        description: 'What `sanitize` puts in place of what was found, literally. Default: the name in capitals, as `<NAME>`.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Exactly one of `match`, `words` and `max_characters`.' },
);
export type Rule = Static<typeof Rule>;

export const Options = Type.Object({ rules: Type.Array(Rule, { minItems: 1 }) }, { additionalProperties: false });
export type Options = Static<typeof Options>;
