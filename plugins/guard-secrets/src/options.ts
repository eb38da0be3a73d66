import { type Static, Type } from 'typebox';
import { ENTITIES } from './detectors/index.ts';

const Entity = Type.Enum([...ENTITIES]);

export const Options = Type.Object(
  {
    verdict: Type.Enum(['sanitize', 'block', 'require_approval'], {
      default: 'sanitize',
      description:
        'What follows when a secret was found. It is masked in any case: an approver sees, and lets pass, the masked text.',
    }),
    detectors: Type.Array(Entity, {
      default: [...ENTITIES],
      uniqueItems: true,
      warnOfDropped: true,
      description: 'The exact list of what is looked for. To leave something out by name use `exclude`.',
    }),
    exclude: Type.Array(Entity, { default: [], uniqueItems: true, description: 'What is not looked for.' }),
    entropy: Type.Boolean({
      default: true,
      description:
        'Also looks for values that nobody could guess after a word such as `password` or `token`; they are named SECRET.',
    }),
    entropy_threshold: Type.Number({
      minimum: 1,
      maximum: 6,
      default: 2.5,
      description: 'Shannon entropy, in bits per character, that such a value must have. Higher finds fewer.',
    }),
    allow_list: Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
      default: [],
      description: 'Values that are never masked: documented examples, public keys. Compared whole, and by case.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
