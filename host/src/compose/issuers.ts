import type { Issuers } from '../oidc/issuers.ts';
import type { Container } from './container.ts';
import { CLOCK, CONFIG, LOGGER, OPTIONS } from './tokens.ts';

/** Loaded on demand: its libraries cost memory and time. The start does not wait for the issuers. */
export async function makeIssuers(container: Container): Promise<Issuers | null> {
  const { issuers: settings } = container.resolve(CONFIG);
  const { allowed_hosts, metrics } = container.resolve(OPTIONS);
  if (settings.length === 0 || allowed_hosts !== null) return null;
  const { Issuers } = await import('../oidc/issuers.ts');
  const issuers = new Issuers(settings, {
    clock: container.resolve(CLOCK),
    logger: container.resolve(LOGGER),
    onFailure: (issuer) => metrics.issuerFailed(issuer),
  });
  void issuers.warm();
  return issuers;
}
