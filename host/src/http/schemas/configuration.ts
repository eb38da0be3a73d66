import { type Static, Type } from 'typebox';
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
    message: text('For people.'),
    expected: Type.Optional(text('The expected value.')),
    nearest: Type.Optional(text('The known name that is nearest to the one in the file.')),
  },
  { $id: 'Diagnostic', description: 'A finding in the configuration file, as `svc lint` prints it.' },
);

export const ConfigurationStatus = Type.Object(
  {
    active_digest: configDigest,
    since: Type.String({ format: 'date-time', description: 'When the responding process applied it.' }),
    config_path: text('The configuration file.'),
  },
  { $id: 'ConfigurationStatus', description: 'The configuration in force.' },
);

export const ReloadOrder = Type.Object(
  {
    dry_run: Type.Optional(Type.Boolean({ description: 'Reads, checks and compares the file without applying it.' })),
    reason: Type.Optional(nullable(Type.String({ maxLength: 1000 }), 'Why, for the operations log.')),
  },
  { $id: 'ReloadOrder', additionalProperties: false, description: 'A request to reload the configuration file.' },
);

export const ConfigurationChange = Type.Object(
  {
    section: Type.Enum(['auth.keys', 'auth.oidc', 'auth.session', 'limits', 'providers', 'packs', 'prices', 'routes'], {
      description: 'Section of the file.',
    }),
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
  { $id: 'ReloadResult', description: 'The configuration in force, and its differences from the previous one.' },
);
export type ReloadResult = Static<typeof ReloadResult>;
