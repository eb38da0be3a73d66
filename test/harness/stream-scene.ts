import type { ChatChunkChoice, JsonObject } from '@svc/contracts';
import { liveStream, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, type StartOptions, TestGateway } from './gateway.ts';
import { StreamReader } from './stream-reader.ts';

/** The word that the scene's guards look for. */
export const WORD = 'ACC-WXYZ';

interface Event {
  event_type: string;
  stage: string;
  node: string;
  data: JsonObject;
}

/** A gateway with routes for every way of streaming, and the upstream double. */
export class StreamScene {
  readonly upstream: Upstream;
  readonly gateway: TestGateway;

  private constructor(upstream: Upstream, gateway: TestGateway) {
    this.upstream = upstream;
    this.gateway = gateway;
  }

  /**
   * Routes to the upstream, named after their egress guard, and the given ones. `open` has none, `window` masks {@link WORD} while streaming, `stop`
   * blocks it while streaming, `post` blocks it at the end, and `whole` masks it in the complete answer. `hasty` is a provider with a timeout of 300
   * ms.
   */
  static async start(
    changes: { routes?: JsonObject; packs?: JsonObject; providers?: JsonObject } & JsonObject = {},
    { here = true }: Pick<StartOptions, 'here'> = {},
  ): Promise<StreamScene> {
    const upstream = await startUpstream();
    const { routes, packs, providers, ...more } = changes;
    const provider = { type: 'openai', base_url: upstream.url, region: 'eu', max_response_bytes: 64 * 2 ** 20 };
    const gateway = await TestGateway.start({
      here,
      packages: ['masker', 'odd-provider'],
      config: echoConfig({
        providers: {
          upstream: provider,
          hasty: { ...provider, timeout_ms: 300, idle_timeout_ms: 300, stream_timeout_ms: 300 },
          ...providers,
        },
        packs: {
          window: masker({ stream: 'window' }),
          stop: masker({ stream: 'window', verdict: 'block' }),
          post: masker({ stream: 'post', verdict: 'block' }),
          whole: masker({ stream: 'none' }),
          ...packs,
        },
        routes: {
          default: routeTo('upstream', []),
          open: routeTo('upstream', []),
          ...Object.fromEntries(['window', 'stop', 'post', 'whole'].map((name) => [name, routeTo('upstream', [name])])),
          ...routes,
        },
        ...more,
      }),
    });
    return new StreamScene(upstream, gateway);
  }

  async close(): Promise<void> {
    await this.gateway.dispose();
    await this.upstream.close();
  }

  /** Starts a stream that the test controls. The upstream has sent the role and these pieces, and the caller has received something. */
  async begin(model: string, pieces: readonly string[], more: JsonObject = {}) {
    const live = liveStream();
    this.upstream.respond(live.behaviour);
    const asked = this.upstream.received(this.upstream.requests.length + 1);
    const reading = StreamReader.ask(this.gateway, 'hello', { model, ...more });
    await live.send(chunk({ role: 'assistant', content: '' }));
    for (const content of pieces) await live.send(chunk({ content }));
    const { disconnected } = await asked;
    return { live, reading, disconnected };
  }

  async events(run_id: string): Promise<Event[]> {
    return (await this.gateway.get(`/v1/runs/${run_id}`)).body.events;
  }

  async status(run_id: string): Promise<string> {
    return (await this.gateway.get(`/v1/runs/${run_id}`)).body.status;
  }

  /** A run's ledger records. */
  async evidence(run_id: string): Promise<JsonObject[]> {
    return (await this.gateway.ledger()).filter((record) => record.run_id === run_id);
  }

  /** Waits until the run has ended. Waits for the server's answer, not for a clock. */
  async ended(run_id: string): Promise<string> {
    for (;;) {
      const status = await this.status(run_id);
      if (status !== 'running') return status;
    }
  }
}

export function masker(options: JsonObject): JsonObject {
  return { type: 'masker', word: WORD, ...options };
}

export function routeTo(provider: string, egress: readonly string[], more: JsonObject = {}): JsonObject {
  return { provider, model: 'm-1', pipeline: { ingress: ['policy'], egress: [...egress] }, ...more };
}

export function ofType(events: readonly Event[], type: string): Event[] {
  return events.filter(({ event_type }) => event_type === type);
}

const HEAD = { id: 'chatcmpl-up', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm-1' };

/** An upstream chunk with one choice. */
export function chunk(
  delta: JsonObject,
  { index = 0, finish_reason = null, ...more }: Partial<ChatChunkChoice> = {},
): JsonObject {
  return { ...HEAD, choices: [{ index, delta, finish_reason, ...more }] } as JsonObject;
}

/** The upstream's last chunk, which contains only usage. */
export function usageChunk(prompt_tokens: number, completion_tokens: number): JsonObject {
  return { ...HEAD, choices: [], usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens } };
}
