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
    max_match: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Only with `match`: the length of the longest match that must be found, in UTF-16 code units, where the pattern sets no bound itself. A longer one may be found in pieces or not at all.',
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

export const Options = Type.Object(
  {
    rules: Type.Array(Rule, { minItems: 1 }),
    stream: Type.Optional(
      Type.Enum(['window', 'post', 'buffer'], {
        description:
          'How a streamed answer is looked at. `window`: as it comes, holding back what may still become a match. `post`: it flows unchanged and is judged at its end. `buffer`: judged as a whole before it leaves. Default: `window` where every rule can, else `buffer`.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
