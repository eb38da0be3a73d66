import { serviceOptions } from '@svc/toolkit/service';
import { type Static, Type } from 'typebox';

const ACTIONS = ['mask', 'block', 'require_approval', 'allow'] as const;
const score = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

const Entity = Type.Object(
  {
    action: Type.Enum([...ACTIONS], {
      default: 'mask',
      description: 'What to do with this entity. `allow` records the finding and leaves the text unchanged.',
    }),
    threshold: Type.Optional(score('The lowest score that counts. Default: `threshold` of the guard.')),
  },
  { additionalProperties: false },
);

export const Options = Type.Object(
  {
    base_url: Type.String({ description: 'http or https URL of the analyzer, without `/analyze`.' }),
    languages: Type.Array(Type.String({ pattern: '^[a-z]{2,3}([_-][A-Za-z]{2,4})?$' }), {
      default: ['en'],
      minItems: 1,
      uniqueItems: true,
      description: 'Languages of the texts. Each text is analyzed once per language.',
    }),
    threshold: { ...score('The lowest score that counts.'), default: 0.5 },
    entities: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' }), Entity, {
        minProperties: 1,
        additionalProperties: false,
        description: 'Entities to look for, by their names in Presidio. Default: all entities that it knows, masked.',
      }),
    ),
    max_characters: Type.Integer({
      default: 20_000,
      minimum: 2_000,
      maximum: 1_000_000,
      description: 'Texts sent together, in UTF-16 code units. A longer text is sent in parts that overlap by 500.',
    }),
    ...serviceOptions,
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
