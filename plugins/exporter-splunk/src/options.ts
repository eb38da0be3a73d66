import { batchOption, intakeOptions, textFormat } from '@svc/toolkit/export';
import { type Static, Type } from 'typebox';

const name = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1024, description }));

export const Options = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      description: 'Base URL of the HTTP Event Collector, such as https://splunk.example:8088.',
    }),
    token: Type.String({
      minLength: 1,
      writeOnly: true,
      description: 'Token of the collector. Write it as a secret:// reference.',
    }),
    ...intakeOptions,
    format: textFormat,
    index: name('Index for the events. Default: the index of the token.'),
    sourcetype: name('Source type of the events. Default: `svc:` and the format, such as `svc:json`.'),
    source: name('Source of the events. Default: the id of the ledger.'),
    host: name('Host of the events. Default: the name of this machine.'),
    require_ack: Type.Boolean({
      default: false,
      description:
        'Whether a token without indexer acknowledgement is an error. If the token has it, records always count as delivered only once they are indexed.',
    }),
    ack_timeout_ms: Type.Integer({
      default: 30_000,
      minimum: 10,
      maximum: 35_000,
      description: 'How long the indexers may take to acknowledge a request, in milliseconds. After that, it is sent again.',
    }),
    batch: batchOption('request'),
    operations: Type.Boolean({
      default: false,
      description: 'Whether the operations log is also sent, with a `ledger_id` that ends in `/operations`.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
