import { serviceOptions } from '@svc/toolkit/service';
import { type Static, Type } from 'typebox';

export const Options = Type.Object(
  {
    base_url: Type.String({ description: 'http or https URL of the guardrail, without `/beta/litellm_basic_guardrail_api`.' }),
    parameters: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.Unknown(), {
        description: 'Sent as `additional_provider_specific_params`, as the guardrail requires.',
      }),
    ),
    verdict: Type.Enum(['block', 'require_approval'], { default: 'block', description: 'What to do on `BLOCKED`.' }),
    ...serviceOptions,
    auth_header: { ...serviceOptions.auth_header, default: 'x-api-key' },
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
