import { batchOption, intakeOptions, jsonFormat } from '@svc/toolkit/export';
import { type Static, Type } from 'typebox';

export const Options = Type.Object(
  {
    bucket: Type.String({
      pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
      description: 'The bucket. It must exist, with object lock enabled if `object_lock` is set.',
    }),
    region: Type.String({ pattern: '^[a-z0-9-]{1,64}$', default: 'us-east-1', description: 'Region of the bucket.' }),
    endpoint: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Base URL of an S3-compatible service. The bucket is then the first part of the path. Default: AWS in this region.',
      }),
    ),
    access_key_id: Type.String({ minLength: 1, description: 'Id of the access key.' }),
    secret_access_key: Type.String({
      minLength: 1,
      writeOnly: true,
      description: 'The secret access key. Write it as a secret:// reference.',
    }),
    session_token: Type.Optional(
      Type.String({
        minLength: 1,
        writeOnly: true,
        description: 'Token of temporary credentials. Write it as a secret:// reference.',
      }),
    ),
    prefix: Type.String({
      default: '',
      pattern: '^(?:[A-Za-z0-9_.-]+/)*$',
      description: 'Prefix of all object names. Must end with a slash, such as `svc/production/`.',
    }),
    object_lock: Type.Optional(
      Type.Object(
        {
          mode: Type.Enum(['GOVERNANCE', 'COMPLIANCE'], {
            description:
              'Who can shorten the retention: with `GOVERNANCE`, principals with a special permission; with `COMPLIANCE`, nobody.',
          }),
          days: Type.Integer({ minimum: 1, maximum: 36_500, description: 'Days until an object may be deleted.' }),
        },
        { additionalProperties: false, description: "Retention of every object. Default: the bucket's, if it has one." },
      ),
    ),
    ...intakeOptions,
    format: jsonFormat,
    batch: batchOption('object'),
    operations: Type.Boolean({
      default: false,
      description: 'Whether the operations log is also written, to names that begin with the ledger id and `/operations`.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
