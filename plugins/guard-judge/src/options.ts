import { serviceOptions } from '@svc/toolkit/service';
import { openAiAccountOptions } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';

const ACTION = Type.Enum(['block', 'require_approval', 'flag']);

export const Options = Type.Object(
  {
    base_url: Type.String({ description: 'http or https URL of an OpenAI-compatible server, without `/chat/completions`.' }),
    ...openAiAccountOptions,
    model: Type.String({ pattern: '^[\\x21-\\x7e]{1,150}$', description: "The server's name for the model." }),
    prompt: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'System message for a model without instructions of its own. It must ask for the answer `safe`, or `unsafe` and a line of categories.',
      }),
    ),
    parameters: Type.Record(Type.String({ minLength: 1 }), Type.Unknown(), {
      default: { temperature: 0, max_tokens: 100 },
      description: 'Additional fields of the request.',
    }),
    action: { ...ACTION, default: 'block', description: 'What to do on `unsafe`. `flag` only records it.' },
    categories: Type.Record(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9._-]{0,63}$' }), ACTION, {
      default: {},
      additionalProperties: false,
      description: 'Categories with another action, such as `{ S13: flag }`.',
    }),
    max_characters: Type.Integer({
      default: 12_000,
      minimum: 1_000,
      maximum: 1_000_000,
      description: 'Texts sent together, in UTF-16 code units. A longer text is sent in parts that overlap by 400.',
    }),
    ...serviceOptions,
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
