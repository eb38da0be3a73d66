import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject, Operation } from '@svc/contracts';
import { afterEach, beforeEach, expect } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, type GatewayConfig, TestGateway } from '../harness/gateway.ts';
import { ofType } from './pausing-gateway.ts';

export const PATH = '/v1/operations/configuration';
const PRINCIPALS = [
  { principal_id: 'alice' },
  { principal_id: 'bob' },
  { principal_id: 'caller', roles: ['call'] },
  { principal_id: 'root', roles: ['admin', 'audit'] },
];

export const hashOf = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;

/** For each test an upstream, and a gateway once the test starts it, whose configuration the test changes. */
export class ReloadingGateway {
  #upstream: Upstream | undefined;
  #gateway: TestGateway | undefined;

  constructor() {
    beforeEach(async () => {
      this.#upstream = await startUpstream();
    });
    afterEach(async () => {
      await this.gateway.dispose();
      await this.upstream.close();
    });
  }

  get upstream(): Upstream {
    if (this.#upstream === undefined) throw new Error('the upstream starts before each test');
    return this.#upstream;
  }

  get gateway(): TestGateway {
    if (this.#gateway === undefined) throw new Error('the test starts the gateway');
    return this.#gateway;
  }

  readonly start = async (config: GatewayConfig): Promise<void> => {
    this.#gateway = await TestGateway.start({ here: true, config, principals: PRINCIPALS, packages: ['counts'] });
  };

  /** Writes the file anew, with the keys of the start and these. */
  readonly write = async (config: JsonObject, more: readonly JsonObject[] = []): Promise<void> => {
    const keys = PRINCIPALS.map((principal) => ({ ...principal, key_hash: hashOf(this.gateway.key(principal.principal_id)) }));
    await this.gateway.configure({ ...config, auth: { keys: [...keys, ...more] } });
  };

  readonly apply = (body: JsonObject = {}, principal = 'root') => this.gateway.post(PATH, body, principal);

  readonly applied = async (config: JsonObject, more?: readonly JsonObject[]) => {
    await this.write(config, more);
    const { status, body } = await this.apply();
    expect({ status, body }).toMatchObject({ status: 200 });
    return body;
  };

  readonly digest = async (): Promise<string> => (await this.gateway.get('/v1/health')).body.config_digest;
  readonly fileDigest = async (): Promise<string> =>
    `sha256:${createHash('sha256')
      .update(await readFile(join(this.gateway.folder, 'svc.yaml')))
      .digest('hex')}`;

  readonly models = async (): Promise<string[]> =>
    (await this.gateway.get('/v1/models')).body.data.map(({ id }: JsonObject) => id);

  /** How many times the log has an event of this name. */
  readonly times = (event: string): number => this.gateway.output.split(`"event":"${event}"`).length - 1;

  /** The configurations that were put into force while it served. */
  readonly operations = async (): Promise<Operation[]> => {
    const { body } = await this.gateway.get('/v1/audit/operations', 'root');
    return body.records.filter(({ action }: Operation) => action === 'configuration.applied');
  };

  readonly counting = (options: JsonObject = {}, more: Parameters<typeof echoConfig>[0] = {}): GatewayConfig =>
    echoConfig({
      ...more,
      packs: { count: { type: 'counts', ...options }, ...more.packs },
      providers: { model: { type: 'openai', base_url: this.upstream.url }, ...more.providers },
      routes: {
        counted: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['count'], egress: [] } },
        slow: { provider: 'model', model: 'm-1', pipeline: { ingress: ['count'], egress: [] } },
        ...more.routes,
      },
    });

  /** What the guard `count` has checked so far, this included. */
  readonly counted = async (): Promise<string> => {
    const { body } = await this.gateway.post('/v1/runs', { route: 'counted', messages: [{ role: 'user', content: 'one' }] });
    return ofType(body.events, 'verdict').map(({ data }) => String(data.code))[0] ?? '';
  };
}
