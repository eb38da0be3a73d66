import { clientOptions } from '@svc/toolkit/secrets';
import { type Static, Type } from 'typebox';

export const Options = Type.Object(
  {
    region: Type.String({
      minLength: 1,
      description: 'Region of the secrets, such as `eu-central-1`, or a secret:// reference to `env`.',
    }),
    endpoint: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Origin of another endpoint, such as that of a VPC. `http` is allowed only for this machine. Default: AWS in this region.',
      }),
    ),
    version_stage: Type.String({
      default: 'AWSCURRENT',
      minLength: 1,
      maxLength: 256,
      description: 'Staging label of the version to read.',
    }),
    ...clientOptions,
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
