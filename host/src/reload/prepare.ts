import { errorMessage, isStoreError, isSvcError } from '@svc/contracts';
import type { Gateway, LedgerOptions, UsedPlugin } from '@svc/runtime';
import type { Logger } from 'pino';
import type { LoadResult, ResolvedConfig } from '../config/index.ts';
import type { KeyRing } from '../http/key-ring.ts';
import { ConfigurationRefused } from '../http/refused-configuration.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { Rag } from '../retrieval/index.ts';
import { type ActiveConfiguration, buildConfiguration, routeSetOf } from './active-configuration.ts';
import type { RetiredConfigurations } from './retired.ts';

/** What a reload changes, and what it needs. */
export interface ReloadParts {
  readonly active: ActiveConfiguration;
  readonly ring: KeyRing;
  readonly limits: RateLimits;
  readonly logger: Logger;
  readonly now: () => number;
  /** Loads the content of a file that is to replace the active configuration. */
  readonly load: (bytes: Uint8Array, former: ResolvedConfig) => Promise<LoadResult>;
  /** Resolves when the gateway is open. */
  readonly gateway: () => Promise<Gateway>;
  readonly rag: () => Promise<Rag | null>;
  /** Prepares the issuers of tokens. The returned function applies them at once. */
  readonly issuers: (config: ResolvedConfig) => Promise<() => void>;
  /** The keys that sign checkpoints. */
  readonly signing_keys: (config: ResolvedConfig) => LedgerOptions['signing_keys'];
  /** The packages that a server with this configuration uses. */
  readonly plugins: (config: ResolvedConfig) => readonly UsedPlugin[];
  /** Called with each configuration that was applied. */
  readonly applied: (config: ResolvedConfig) => void;
}

/**
 * Prepares a configuration. The returned function applies all of it in one turn of the event loop.
 * @throws {ConfigurationRefused} if a guard does not start, or the gateway does not have its own signing key
 */
export async function prepare(
  config: ResolvedConfig,
  seals: boolean,
  { active, ring, limits, logger, now, issuers, applied, ...parts }: ReloadParts,
  retired: RetiredConfigurations,
): Promise<() => void> {
  const gateway = await parts.gateway();
  const next = buildConfiguration(config);
  const applyIssuers = await issuers(config);
  const applyKeys = await gateway.prepareSigningKeys(parts.signing_keys(config)).catch(refuseKeys);
  // Last: it writes the inventory, and a refused configuration must not be in it.
  const applyRoutes = await gateway.prepare(routeSetOf(next), seals).catch(refuseGuard);
  const unused = async (): Promise<void> => {
    const rag = await parts.rag();
    await Promise.all([gateway.runs.under_way.ended(), rag?.under_way.ended()]);
  };
  return () => {
    const { config: former } = active.current;
    applyRoutes();
    applyKeys();
    applyIssuers();
    active.replace(next, now());
    ring.replace(config.keys);
    limits.replace(config.limits);
    logger.info({ event: 'configuration_applied', config_digest: config.digest, previous_digest: former.digest });
    applied(config);
    retired.retire(former, config, unused());
  };
}

function refuseKeys(error: unknown): never {
  if (isStoreError(error)) throw error;
  throw new ConfigurationRefused(errorMessage(error, 'the signing keys cannot be used'), []);
}

/** Reports the name and package of a guard that does not start, not its message. */
function refuseGuard(error: unknown): never {
  if (isSvcError(error) || isStoreError(error)) throw error;
  throw new ConfigurationRefused(errorMessage(error, 'a guard did not start'), []);
}
