import type { SignIn } from '../http/sign-in.ts';
import type { Issuers } from '../oidc/issuers.ts';
import type { Container } from './container.ts';
import { CLOCK, CONFIG, CONTENT_KEYS, ISSUERS, LOGGER, OPTIONS, STORE } from './tokens.ts';

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

/** Null: no issuer has a client for the pages. */
export async function makeSignIn(container: Container): Promise<SignIn | null> {
  const issuers = (await container.resolve(ISSUERS))?.forPages;
  if (issuers === undefined || issuers.size === 0) return null;
  const { PageSignIn } = await import('../oidc/page-sign-in.ts');
  const { Sessions } = await import('../oidc/sessions.ts');
  const clock = container.resolve(CLOCK);
  return new PageSignIn(issuers, {
    sessions: new Sessions(container.resolve(STORE), clock, container.resolve(CONFIG).session),
    keys: await container.resolve(CONTENT_KEYS),
    clock,
    logger: container.resolve(LOGGER),
  });
}
