import type { Upstream } from '../fixtures/upstream.ts';
import { echoConfig, type GatewayConfig, TestGateway } from './gateway.ts';

/** The reference of the provider's key in every test. */
const REFERENCE = 'secret://vault/apps/model#api_key';

/** A gateway that asks `upstream` with a key from a backend `vault`. */
export function startWithVault(upstream: Upstream, vault: Readonly<Record<string, string | number>>): Promise<TestGateway> {
  const config: GatewayConfig = {
    ...echoConfig(),
    secrets: { vault: { type: 'vault', refresh_s: 1, ...vault } },
    providers: { local: { type: 'openai', base_url: upstream.url, api_key: REFERENCE } },
  };
  return TestGateway.start({
    here: true,
    config,
    principals: [{ principal_id: 'alice' }, { principal_id: 'root', roles: ['admin', 'audit'] }],
  });
}

/** The key with which the provider was asked for an answer. */
export async function keyInUse(gateway: TestGateway, upstream: Upstream): Promise<string | undefined> {
  await gateway.chat('hello');
  return upstream.requests.at(-1)?.headers.authorization?.replace('Bearer ', '');
}
