import { serviceOptions } from '@svc/toolkit/service';
import { openAiAccountOptions } from '@svc/toolkit/upstream';
import { type Static, Type } from 'typebox';

const ACTION = Type.Enum(['block', 'require_approval', 'flag']);

const Category = Type.Object(
  {
    action: Type.Optional({ ...ACTION, description: 'Default: `action` of the guard.' }),
    threshold: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'The lowest score that counts. Default: the API decides.' }),
    ),
  },
  { additionalProperties: false },
);

export const Options = Type.Object(
  {
    base_url: Type.String({
      default: 'https://api.openai.com/v1',
      description: 'http or https URL, without `/moderations`.',
    }),
    ...openAiAccountOptions,
    model: Type.String({
      pattern: '^[\\x21-\\x7e]{1,150}$',
      default: 'omni-moderation-latest',
      description: 'Name of the model in the API.',
    }),
    action: { ...ACTION, default: 'block', description: 'What to do for a category. `flag` only records it.' },
    categories: Type.Record(Type.String({ pattern: '^[A-Za-z0-9._/-]{1,64}$' }), Category, {
      default: {},
      additionalProperties: false,
      description: 'Categories with another action or a threshold, by their names in the API, such as `harassment/threatening`.',
    }),
    max_characters: Type.Integer({
      default: 8_000,
      minimum: 1_000,
      maximum: 200_000,
      description: 'Longest text that is sent, in UTF-16 code units. A longer one is sent in parts that overlap by 200.',
    }),
    ...serviceOptions,
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
