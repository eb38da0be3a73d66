import { type Static, Type } from 'typebox';
import { configDigest, nullable, ref, text } from './parts.ts';

export const Diagnostic = Type.Object(
  {
    code: Type.String({ description: 'One of the codes of configurations in docs/errors.md.', examples: ['SVC-POL-001'] }),
    severity: Type.Enum(['error', 'warning'], { description: 'Only an error keeps a configuration from being applied.' }),
    file: text('The configuration file.'),
    line: Type.Integer({ minimum: 1, description: 'Line in the file, from 1.' }),
    column: Type.Integer({ minimum: 1, description: 'Column in the line, from 1.' }),
    path: text('Keys from the root of the file, joined by dots; empty for the whole file.'),
    message: text('For people.'),
    expected: Type.Optional(text('What fits there.')),
    nearest: Type.Optional(text('The known name that was probably meant.')),
  },
  { $id: 'Diagnostic', description: 'A finding in the configuration file, as `svc lint` prints it.' },
);

export const ConfigurationStatus = Type.Object(
  {
    active_digest: configDigest,
    since: Type.String({ format: 'date-time', description: 'When it came into force in the process that answers.' }),
    config_path: text('The configuration file.'),
  },
  { $id: 'ConfigurationStatus', description: 'The configuration in force.' },
);

export const ReloadOrder = Type.Object(
  {
    dry_run: Type.Optional(Type.Boolean({ description: 'Reads, checks and compares the file, and changes nothing.' })),
    reason: Type.Optional(nullable(Type.String({ maxLength: 1000 }), 'Why, for the operations log.')),
  },
  { $id: 'ReloadOrder', additionalProperties: false, description: 'An order to read the configuration file again.' },
);

export const ConfigurationChange = Type.Object(
  {
    section: Type.Enum(['auth.keys', 'auth.oidc', 'auth.session', 'limits', 'providers', 'packs', 'prices', 'routes'], {
      description: 'Section of the file.',
    }),
    name: text('The entry; of keys the principal, of issuers their address, of limits what they are for.'),
    change: Type.Enum(['added', 'removed', 'changed'], {
      description: '`changed`: it is written otherwise, or a secret in it has another value.',
    }),
  },
  { $id: 'ConfigurationChange', description: 'An entry that the file has otherwise than the configuration that was in force.' },
);

export const ReloadResult = Type.Object(
  {
    active_digest: configDigest,
    previous_digest: configDigest,
    file_digest: configDigest,
    changes: Type.Array(ref(ConfigurationChange), { description: 'What differs; empty: nothing that has an effect.' }),
    warnings: Type.Array(ref(Diagnostic), { description: 'Findings that do not keep it from being applied.' }),
  },
  { $id: 'ReloadResult', description: 'What is in force now, and what was changed for it.' },
);
export type ReloadResult = Static<typeof ReloadResult>;
