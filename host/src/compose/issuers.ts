import type { ResolvedConfig } from '../config/index.ts';
import { IssuersInForce } from '../oidc/issuers-in-force.ts';
import type { Container } from './container.ts';
import { CLOCK, CONFIG, CONTENT_KEYS, ISSUERS, LOGGER, OPTIONS, STORE } from './tokens.ts';

export function makeIssuers(container: Container): IssuersInForce {
  const { metrics } = container.resolve(OPTIONS);
  return new IssuersInForce({
    clock: container.resolve(CLOCK),
    logger: container.resolve(LOGGER),
    directory: container.resolve(CONFIG).directory,
    onFailure: (issuer) => metrics.issuerFailed(issuer),
    store: container.resolve(STORE),
    keys: container.resolve(CONTENT_KEYS),
  });
}

/** Prepares the issuers of a configuration; none with `--no-auth`. @returns a function that applies them at once */
export async function prepareIssuers({ issuers, session }: ResolvedConfig, container: Container): Promise<() => void> {
  const { allowed_hosts } = container.resolve(OPTIONS);
  return container.resolve(ISSUERS).prepare(allowed_hosts === null ? issuers : [], session);
}
