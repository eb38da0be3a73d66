import { type Static, Type } from 'typebox';

export const Options = Type.Object(
  {
    module: Type.String({
      minLength: 1,
      description: "The token vendor's PKCS#11 library, such as `/usr/lib/softhsm/libsofthsm2.so`.",
    }),
    pin: Type.String({
      minLength: 1,
      writeOnly: true,
      description: 'The user PIN, as a secret:// reference to `env` or `file`.',
    }),
    refresh_s: Type.Integer({
      default: 300,
      minimum: 1,
      maximum: 86_400,
      description: 'How often the gateway checks whether a label has a new key, in seconds.',
    }),
    timeout_ms: Type.Integer({
      default: 4_000,
      minimum: 100,
      // The gateway waits five seconds for a signature.
      maximum: 4_900,
      description: 'Timeout of a call to the library, in milliseconds. When it expires, the process of the library is ended.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
