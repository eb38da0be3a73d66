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
      description: 'Until the whole answer to one request is there.',
    }),
    operations: Type.Boolean({
      default: false,
      description:
        'Whether the operations log is sent, too: in requests of the same types, whose `ledger_id` ends in `/operations`.',
    }),
    batch: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 256,
      description:
        'Most records of one request. A request takes what waits, and is not held back until it is full. At 1, requests are of type `record`; above 1, of type `records`, also with a single record, and of about a megabyte at most.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
