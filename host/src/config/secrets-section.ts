import type { AnySecretsBackend } from '@svc/contracts';
import { Type } from 'typebox';
import type { LeasedSecret } from './resolve-secrets.ts';

export const SecretsSchema = Type.Object(
  { type: Type.String({ minLength: 1, description: 'The plugin: `vault`, …' }) },
  {
    additionalProperties: true,
    description:
      'A backend for secrets or signing keys. `secret://NAME/PATH#KEY` refers to it. All other keys are options of the plugin; they may refer only to the backends `env` and `file`.',
  },
);

/** The secrets of a configuration that can change while it is active. */
export interface SecretsPart {
  /** By reference. */
  readonly leased: ReadonlyMap<string, LeasedSecret>;
  /** The plugins that gave secrets or keys. They stay open as long as the configuration is used. */
  readonly backends: readonly AnySecretsBackend[];
  /** Fingerprints of the backends in the section, by name: their options may have secrets from files. Never recorded or logged. */
  readonly backend_fingerprints: ReadonlyMap<string, string>;
}
