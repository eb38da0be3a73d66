import { RestoreOption } from '@svc/toolkit/masking';
import { type Static, Type } from 'typebox';
import { ENTITIES } from './detectors/index.ts';

const Entity = Type.Enum([...ENTITIES]);

export const Options = Type.Object(
  {
    verdict: Type.Enum(['sanitize', 'block', 'require_approval'], {
      default: 'sanitize',
      description: 'What happens when a secret is found. It is always masked: an approver sees and approves the masked text.',
    }),
    restore: RestoreOption,
    detectors: Type.Array(Entity, {
      default: [...ENTITIES],
      uniqueItems: true,
      warnOfDropped: true,
      description: 'The exact list of kinds to look for. To omit kinds by name, use `exclude`.',
    }),
    exclude: Type.Array(Entity, { default: [], uniqueItems: true, description: 'Kinds to omit.' }),
    entropy: Type.Boolean({
      default: true,
      description: 'Whether to look for high-entropy values after a word such as `password` or `token`; their kind is SECRET.',
    }),
    entropy_threshold: Type.Number({
      minimum: 1,
      maximum: 6,
      default: 2.5,
      description: 'Minimum Shannon entropy of such a value, in bits per character. A higher value finds fewer secrets.',
    }),
    allow_list: Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
      default: [],
      description: 'Values that are never masked, compared exactly: examples from documentation, public keys.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
