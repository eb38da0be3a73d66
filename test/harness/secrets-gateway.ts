import type { Upstream } from '../fixtures/upstream.ts';
import { echoConfig, type GatewayConfig, TestGateway } from './gateway.ts';

type Backend = Readonly<Record<string, string | number>> & { readonly type: string };

/** A gateway that asks `upstream` with the key `api_key` of a secret. Its backend of secrets is named after its type. */
export function startWithSecrets(upstream: Upstream, backend: Backend, path = 'apps/model'): Promise<TestGateway> {
  const api_key = `secret://${backend.type}/${path}#api_key`;
  const config: GatewayConfig = {
    ...echoConfig(),
    secrets: { [backend.type]: { refresh_s: 1, ...backend } },
    providers: { local: { type: 'openai', base_url: upstream.url, api_key } },
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
