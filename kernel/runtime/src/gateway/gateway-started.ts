import type { NewOperation, Operation } from '@svc/contracts';
import { VERSION } from '@svc/kernel/version';
import { sha256 } from '@svc/ledger';

/** A package of plugins that a gateway uses. `pin`: the pin that the configuration's allow-list requires; absent without one. */
export interface UsedPlugin {
  readonly package: string;
  readonly version: string;
  readonly pin?: string;
}

/** Records of these say in `after` which configuration is in force. */
const CONFIGURES: ReadonlySet<Operation['action']> = new Set(['gateway.started', 'configuration.applied']);
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The newest configuration on record. */
export class ConfigurationOnRecord {
  #digest: string | null = null;

  apply({ action, after }: Operation): void {
    if (CONFIGURES.has(action)) this.#digest = after;
  }

  /** The start of a gateway: which release, configuration and plugins serve from now on. */
  started(config_digest: string, plugins: readonly UsedPlugin[]): NewOperation {
    return {
      action: 'gateway.started',
      actor: { principal_id: null, issuer: null, subject: null },
      target: { kind: 'gateway', name: 'svc' },
      before: this.#digest,
      // An embedding program may name its configuration as it likes.
      after: DIGEST.test(config_digest) ? config_digest : sha256(config_digest),
      reason: null,
      change: { version: VERSION, config_digest, plugins: [...plugins] },
    };
  }
}
