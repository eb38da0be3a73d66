import { type Static, Type } from 'typebox';

export const Options = Type.Object(
  {
    schema: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON Schema, inline. Not with `schema_file`.' }),
    ),
    schema_file: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'A JSON file with a JSON Schema, relative to the configuration. Not with `schema`.',
      }),
    ),
    choices: Type.Enum(['all', 'first'], { default: 'all', description: 'Which of several answers (`n`) must match.' }),
    allow_no_text: Type.Boolean({
      default: false,
      description: 'Allow an answer without text, such as one with tool calls only.',
    }),
    verdict: Type.Enum(['block', 'require_approval'], {
      default: 'block',
      description: 'Verdict for an answer that does not match.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
