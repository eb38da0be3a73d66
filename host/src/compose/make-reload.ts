import { isReadAtStart } from '../config/lint-restart.ts';
import { Reload } from '../reload/reload.ts';
import { SecretRefresh } from '../reload/secret-refresh.ts';
import { readConfiguration } from './configuration.ts';
import type { Container } from './container.ts';
import { prepareIssuers } from './issuers.ts';
import { signingKeys } from './ledger-options.ts';
import { ACTIVE, CLOCK, GATEWAY, KEY_RING, LOGGER, OPTIONS, RAG, RATE_LIMITS, RELOAD } from './tokens.ts';
import { usedPlugins } from './used-plugins.ts';
import { namedTeams, unpricedEndpoints } from './watching.ts';

/** Reads the secrets of the active configuration again. */
export function makeSecretRefresh(container: Container): SecretRefresh {
  const { metrics } = container.resolve(OPTIONS);
  return new SecretRefresh({
    config: () => container.resolve(ACTIVE).current.config,
    apply: () => container.resolve(RELOAD).orderBySecret(),
    isReadAtStart: (reference) => isReadAtStart(container.resolve(ACTIVE).current.config.sections, reference),
    counted: (backend, outcome) => metrics.secretRefreshed(backend, outcome),
    logger: container.resolve(LOGGER),
    now: () => performance.now(),
    random: () => Math.random(),
  });
}

export function makeReload(container: Container): Reload {
  const { applied, metrics, runs_db } = container.resolve(OPTIONS);
  return new Reload({
    active: container.resolve(ACTIVE),
    ring: container.resolve(KEY_RING),
    limits: container.resolve(RATE_LIMITS),
    logger: container.resolve(LOGGER),
    now: () => container.resolve(CLOCK).now(),
    load: (bytes, former) => readConfiguration(former.path, true, container, { bytes, former }),
    gateway: () => container.resolve(GATEWAY),
    rag: () => container.resolve(RAG),
    issuers: (config) => prepareIssuers(config, container),
    signing_keys: (config) => signingKeys(config, runs_db),
    plugins: (config) => usedPlugins(config, runs_db),
    applied: (config) => {
      metrics.countTeams(namedTeams(config));
      metrics.countUnpriced(unpricedEndpoints(container.resolve(ACTIVE).current));
      applied?.(config);
    },
  });
}
