import { type Static, Type } from 'typebox';

const Rule = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9._-]{1,64}$',
      description: 'Unique. It is shown to callers and recorded, so it should not reveal what the rule matches.',
    }),
    match: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'An RE2 pattern; `(?i)` at the start makes it case-insensitive. Searched for in each text.',
      }),
    ),
    max_match: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Only with `match`: the length of the longest match that must be found, in UTF-16 code units, for a pattern of unbounded length. A longer match may be found in pieces or not at all.',
      }),
    ),
    words: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        description: 'Whole words or phrases, literal and case-insensitive. A space matches up to 8 spaces or line breaks.',
      }),
    ),
    max_characters: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum number of characters (Unicode code points) in a text.' }),
    ),
    verdict: Type.Enum(['sanitize', 'block', 'require_approval'], { description: 'Verdict for a text that the rule matches.' }),
    replacement: Type.Optional(
      Type.String({
        description: 'The literal replacement with `sanitize`. Default: the name in capitals, `<NAME>`.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Exactly one of `match`, `words` and `max_characters`.' },
);
export type Rule = Static<typeof Rule>;

export const Options = Type.Object(
  {
    rules: Type.Array(Rule, { minItems: 1, description: 'What to look for, and the verdict for each.' }),
    stream: Type.Optional(
      Type.Enum(['window', 'post', 'buffer'], {
        description:
          'How a streamed answer is checked. `window`: as it arrives, holding back text that may still become a match. `post`: sent unchanged and checked at the end. `buffer`: checked as a whole before it is sent. Default: `window` if every rule supports it, otherwise `buffer`.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
