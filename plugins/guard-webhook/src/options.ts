import { webhookOptions } from '@svc/toolkit/webhook';
import { type Static, Type } from 'typebox';

export const Options = Type.Object(
  {
    ...webhookOptions,
    verdicts: Type.Array(Type.Enum(['sanitize', 'block', 'require_approval']), {
      default: ['sanitize', 'block', 'require_approval'],
      uniqueItems: true,
      description: 'Verdicts that the endpoint may return besides `allow`; any other is a failure.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
