import { type Static, Type } from 'typebox';
import { SUBJECTS } from '../../limits/rate-limits.ts';
import { configDigest, nullable, ref, text } from './parts.ts';

export const Diagnostic = Type.Object(
  {
    code: Type.String({ description: 'One of the codes of configurations in docs/errors.md.', examples: ['SVC-POL-001'] }),
    severity: Type.Enum(['error', 'warning'], {
      description: 'An error prevents the configuration from being applied; a warning does not.',
    }),
    file: text('The configuration file.'),
    line: Type.Integer({ minimum: 1, description: 'Line in the file, from 1.' }),
    column: Type.Integer({ minimum: 1, description: 'Column in the line, from 1.' }),
    path: text('Keys from the root of the file, joined by dots; empty for the whole file.'),
    message: text('The message, in plain text.'),
    expected: Type.Optional(text('The expected value.')),
    nearest: Type.Optional(text('The known name that is nearest to the one in the file.')),
  },
  { $id: 'Diagnostic', description: 'A finding in the configuration file, as `svc lint` prints it.' },
);

export const LimitInForce = Type.Object(
  {
    subject: Type.Enum([...SUBJECTS], { description: 'Kind of subject that the limit applies to.' }),
    name: text('Name of the subject; `*`: each one without its own limit.'),
    requests_per_minute: nullable(Type.Number(), 'Requests per minute. Null: no limit.'),
    tokens_per_minute: nullable(Type.Number(), 'Tokens per minute. Null: no limit.'),
    concurrent: nullable(Type.Number(), 'Concurrent requests. Null: no limit.'),
  },
  { $id: 'LimitInForce', description: 'A limit of the configuration.' },
);

export const PluginInUse = Type.Object(
  {
    package: text('Name of the package.'),
    version: text('Version of the package.'),
    pin: nullable(Type.String(), 'The pin that `plugins.allow` requires: a version or a digest. Null: none.'),
  },
  { $id: 'PluginInUse', description: 'A package whose plugins are in use.' },
);

export const ConfigurationStatus = Type.Object(
  {
    active_digest: configDigest,
    since: Type.String({ format: 'date-time', description: 'When the responding process applied it.' }),
    config_path: text('The configuration file.'),
    limits: Type.Array(ref(LimitInForce), { description: 'Limits of the configuration.' }),
    plugins: Type.Array(ref(PluginInUse), { description: 'Packages of plugins in use, by name.' }),
  },
  { $id: 'ConfigurationStatus', description: 'The active configuration.' },
);

export const ReloadOrder = Type.Object(
  {
    dry_run: Type.Optional(Type.Boolean({ description: 'Reads, checks and compares the file without applying it.' })),
    reason: Type.Optional(nullable(Type.String({ maxLength: 1000 }), 'Why, for the operations log.')),
  },
  { $id: 'ReloadOrder', additionalProperties: false, description: 'Request to reload the configuration file.' },
);

export const ConfigurationChange = Type.Object(
  {
    section: Type.Enum(
      [
        ...['auth.keys', 'auth.oidc', 'auth.passkeys', 'auth.session', 'secrets', 'limits', 'providers', 'packs', 'prices'],
        ...['routes', 'ledger.signing_keys'],
      ],
      {
        description: 'Section of the file.',
      },
    ),
    name: text('The entry. For keys the principal, for issuers the address, for limits the subject.'),
    change: Type.Enum(['added', 'removed', 'changed'], {
      description: '`changed`: the entry differs, or a secret in it has another value.',
    }),
  },
  { $id: 'ConfigurationChange', description: 'An entry that differs between the file and the previous configuration.' },
);

export const ReloadResult = Type.Object(
  {
    active_digest: configDigest,
    previous_digest: configDigest,
    file_digest: configDigest,
    changes: Type.Array(ref(ConfigurationChange), { description: 'Differences that have an effect.' }),
    warnings: Type.Array(ref(Diagnostic), { description: 'Findings that do not prevent the configuration from being applied.' }),
  },
  { $id: 'ReloadResult', description: 'The active configuration, and its differences from the previous one.' },
);
export type ReloadResult = Static<typeof ReloadResult>;

export const WitnessList = Type.Object(
  {
    ledger_length: Type.Integer({ minimum: 0, description: 'Records in the ledger.' }),
    witnesses: Type.Array(
      Type.Object({
        name: text('Name of the witness, from its public key.'),
        cosigned_size: Type.Integer({ minimum: 0, description: 'Records that its newest cosignature covers; 0: none.' }),
        lag_records: Type.Integer({ minimum: 0, description: 'Records that it has not cosigned yet.' }),
      }),
      { description: 'In the order of the configuration.' },
    ),
  },
  { $id: 'WitnessList', description: 'The progress of each witness.' },
);

export const ExporterList = Type.Object(
  {
    ledger_length: Type.Integer({ minimum: 0, description: 'Records in the ledger.' }),
    exporters: Type.Array(
      Type.Object({
        name: text("The exporter's name in the configuration."),
        through_seq: Type.Integer({ minimum: 0, description: 'Last record that it has delivered; 0: none.' }),
        lag_records: Type.Integer({ minimum: 0, description: 'Records that it has not delivered yet.' }),
      }),
      { description: 'Sorted by name.' },
    ),
  },
  { $id: 'ExporterList', description: 'The progress of each exporter.' },
);
