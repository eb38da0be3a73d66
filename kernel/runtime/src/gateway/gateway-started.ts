import type { NewOperation, Operation } from '@svc/contracts';
import { VERSION } from '@svc/kernel/version';
import { sha256 } from '@svc/ledger';

/** A plugin package that a gateway uses. `pin`: the pin that the configuration's allow-list requires. Absent without an allow-list. */
export interface UsedPlugin {
  readonly package: string;
  readonly version: string;
  readonly pin?: string;
}

/** In records of these actions, `after` is the digest of the active configuration. */
const CONFIGURES: ReadonlySet<Operation['action']> = new Set(['gateway.started', 'configuration.applied']);
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The newest configuration on record. */
export class ConfigurationOnRecord {
  #digest: string | null = null;

  apply({ action, after }: Operation): void {
    if (CONFIGURES.has(action)) this.#digest = after;
  }

  /** The record of a start: the release, configuration and plugins that are used from now on. */
  started(config_digest: string, plugins: readonly UsedPlugin[]): NewOperation {
    return {
      action: 'gateway.started',
      actor: { principal_id: null, issuer: null, subject: null },
      target: { kind: 'gateway', name: 'svc' },
      before: this.#digest,
      // A program that embeds the gateway may name its configuration freely.
      after: DIGEST.test(config_digest) ? config_digest : sha256(config_digest),
      reason: null,
      change: { version: VERSION, config_digest, plugins: [...plugins] },
    };
  }
}
