import { textFormat } from '@svc/toolkit/export';
import { networkOptions } from '@svc/toolkit/network';
import { type Static, Type } from 'typebox';

const { proxy: _, ...certificates } = networkOptions;

export const Options = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 255, description: 'Name or address of the syslog server.' }),
    port: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 65_535, description: 'Port. Default: 6514 for `tls`, 601 for `tcp`.' }),
    ),
    transport: Type.Enum(['tls', 'tcp'], {
      default: 'tls',
      description: 'TLS (RFC 5425), or TCP without encryption (RFC 6587). Both use octet counting.',
    }),
    server_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Name or address in the certificate of the server. Default: `host`.',
      }),
    ),
    ...certificates,
    format: textFormat,
    facility: Type.Integer({
      default: 13,
      minimum: 0,
      maximum: 23,
      description: 'Facility (RFC 5424, table 1). Default: 13, log audit.',
    }),
    hostname: Type.Optional(
      Type.String({ pattern: '^[!-~]{1,255}$', description: 'HOSTNAME of messages. Default: the name of this machine.' }),
    ),
    sd_id: Type.String({
      default: 'svc@32473',
      maxLength: 32,
      pattern: '^[!#-<>-?A-\\\\^-~]+@[0-9]+(?:\\.[0-9]+)*$',
      description:
        'SD-ID of the structured data, with a private enterprise number. 32473 is reserved for examples; use the number of your organization.',
    }),
    bom: Type.Boolean({
      default: true,
      description: 'Whether a message starts with a byte order mark, which RFC 5424 requires for UTF-8.',
    }),
    timeout_ms: Type.Integer({
      default: 15_000,
      minimum: 10,
      maximum: 45_000,
      description: 'Timeout of one connection, in milliseconds: connect, send, and wait until the server has read everything.',
    }),
    operations: Type.Boolean({
      default: false,
      description: 'Whether the operations log is also sent, with a `ledger` that ends in `/operations`.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
