import { webhookOptions } from '@svc/toolkit/webhook';
import { type Static, Type } from 'typebox';

const { max_response_bytes: _, ...common } = webhookOptions;

export const Options = Type.Object(
  {
    ...common,
    timeout_ms: Type.Integer({
      default: 15_000,
      minimum: 10,
      maximum: 45_000,
      description: 'Timeout of one request, including its complete response, in milliseconds.',
    }),
    operations: Type.Boolean({
      default: false,
      description:
        'Whether the operations log is also sent, in requests of the same types with a `ledger_id` that ends in `/operations`.',
    }),
    batch: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 256,
      description:
        'Maximum records in one request. A request contains the records that are waiting and is sent even if it is not full. At 1, the type of requests is `record`. Above 1, the type is `records`, even for a single record, and a request has about a megabyte at most.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
