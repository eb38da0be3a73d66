import { clientOptions } from '@svc/toolkit/secrets';
import { type Static, Type } from 'typebox';

export const Options = Type.Object(
  {
    vault: Type.String({ minLength: 1, description: 'Origin of the vault, such as `https://NAME.vault.azure.net`.' }),
    ...clientOptions,
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
