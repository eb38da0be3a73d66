import type { JsonObject } from '@svc/contracts';
import OpenAI, { type ClientOptions } from 'openai';
import { startUpstream, UPSTREAM_MARKER, type Upstream, type UpstreamRequest } from '../fixtures/upstream.ts';
import { echoConfig, type StartOptions, TestGateway } from '../harness/gateway.ts';

/** The upstream's model of all routes. */
export const UPSTREAM_MODEL = 'gpt-test-1';
/** The gateway's key for the upstream. */
const UPSTREAM_KEY = 'sk-upstream-0123456789';

/** A gateway with the upstream double, and official clients for the gateway. */
export class OpenAiScene {
  readonly upstream: Upstream;
  readonly gateway: TestGateway;

  private constructor(upstream: Upstream, gateway: TestGateway) {
    this.upstream = upstream;
    this.gateway = gateway;
  }

  /** Routes: `default` with guards in both stages, `bare` without guards, and the given ones. `hasty` is a provider with a timeout of 200 ms. */
  static async start(
    routes: JsonObject = {},
    principals?: StartOptions['principals'],
    packs: JsonObject = {},
  ): Promise<OpenAiScene> {
    const upstream = await startUpstream();
    const provider = { type: 'openai', base_url: upstream.url, api_key: 'secret://env/UPSTREAM_KEY#value', region: 'us' };
    const config = echoConfig({
      packs,
      providers: { upstream: provider, hasty: { ...provider, timeout_ms: 200 } },
      routes: {
        default: route({ pipeline: { ingress: ['mask', 'policy'], egress: ['mask'] } }),
        bare: route({}),
        ...routes,
      },
    });
    const gateway = await TestGateway.start({
      here: true,
      config,
      env: { UPSTREAM_KEY },
      ...(principals === undefined ? {} : { principals }),
    });
    return new OpenAiScene(upstream, gateway);
  }

  async close(): Promise<void> {
    await this.gateway.dispose();
    await this.upstream.close();
  }

  client(options: ClientOptions = {}): OpenAI {
    return new OpenAI({ baseURL: `${this.gateway.url}/v1`, apiKey: this.gateway.key('alice'), maxRetries: 0, ...options });
  }

  /** The last request that the upstream received. */
  get asked(): UpstreamRequest {
    const request = this.upstream.requests.at(-1);
    if (request === undefined) throw new Error('the upstream received no request');
    return request;
  }

  async events(run_id: string | null | undefined): Promise<JsonObject[]> {
    return (await this.gateway.get(`/v1/runs/${run_id}`)).body.events;
  }

  async evidence(run_id: string | null | undefined): Promise<JsonObject[]> {
    return (await this.gateway.ledger()).filter((record) => record.run_id === run_id);
  }

  /** Everything about runs that can be read from the gateway, and its log. */
  async everythingRecorded(): Promise<string> {
    const [runs, ledger, metrics] = await Promise.all(
      ['/v1/audit?limit=10000', '/v1/audit/ledger?limit=10000', '/metrics'].map((path) => this.gateway.get(path)),
    );
    return [runs?.text, ledger?.text, metrics?.text, this.gateway.output].join('\n');
  }
}

export function route(changes: JsonObject): JsonObject {
  return { provider: 'upstream', model: UPSTREAM_MODEL, ...changes };
}

/** Must never leave the gateway, whatever the upstream does. */
export const SECRETS: readonly string[] = [UPSTREAM_MARKER, UPSTREAM_KEY];

export function say(content: string): { role: 'user'; content: string }[] {
  return [{ role: 'user', content }];
}

export function ofType(events: readonly JsonObject[], type: string): JsonObject[] {
  return events.filter(({ event_type }) => event_type === type);
}
