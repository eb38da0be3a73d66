import { serviceOptions } from '@svc/toolkit/service';
import { type Static, Type } from 'typebox';

export const Options = Type.Object(
  {
    base_url: Type.String({ description: 'http or https URL of Open Policy Agent, without `/v1/data`.' }),
    path: Type.String({
      pattern: '^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$',
      description: 'Path of the rule, such as `gateway/decision` for `data.gateway.decision`.',
    }),
    ...serviceOptions,
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
