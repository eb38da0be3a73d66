import { batchOption, intakeOptions, textFormat } from '@svc/toolkit/export';
import { type Static, Type } from 'typebox';

export const Options = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      description: 'Address of the collector for logs, such as https://collector.example:4318/v1/logs.',
    }),
    headers: Type.Record(Type.String(), Type.String({ minLength: 1, writeOnly: true }), {
      default: {},
      description: 'Headers of each request, for example for authentication. Write secrets as secret:// references.',
    }),
    ...intakeOptions,
    format: textFormat,
    batch: batchOption('request'),
    operations: Type.Boolean({
      default: false,
      description: 'Whether the operations log is also sent, with a `svc.ledger.id` that ends in `/operations`.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
