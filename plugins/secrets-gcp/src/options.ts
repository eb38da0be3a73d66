import { clientOptions } from '@svc/toolkit/secrets';
import { type Static, Type } from 'typebox';

export const Options = Type.Object(
  {
    project: Type.String({ minLength: 1, description: 'ID or number of the project that has the secrets.' }),
    location: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Location of regional secrets, such as `europe-west3`. Default: global secrets.',
      }),
    ),
    endpoint: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "Origin of another endpoint, such as a private one. `http` is allowed only for this machine. Default: Google's endpoint.",
      }),
    ),
    ...clientOptions,
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
