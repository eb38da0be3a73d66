import { GoogleGenAI } from '@google/genai';
import type { JsonObject } from '@svc/contracts';
import { anthropic, gemini } from '@svc/sdk/testing';
import { afterAll, beforeAll } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { TestGateway } from '../harness/gateway.ts';

export const MAIL = 'ann@example.org';

/** A gateway that speaks the Gemini API, with an upstream for each format, and Google's official client. */
export class GeminiScene {
  readonly #upstreams = new Map<string, Upstream>();
  #gateway: TestGateway | undefined;

  constructor() {
    beforeAll(async () => {
      this.#upstreams.set('chat', await startUpstream());
      this.#upstreams.set('messages', await startUpstream(anthropic.answer()));
      this.#upstreams.set('gemini', await startUpstream(gemini.answer()));
      this.#gateway = await this.#start();
    });
    afterAll(async () => {
      await this.gateway.dispose();
      for (const upstream of this.#upstreams.values()) await upstream.close();
    });
  }

  get gateway(): TestGateway {
    if (this.#gateway === undefined) throw new Error('the gateway starts before the first test');
    return this.#gateway;
  }

  readonly upstreamOf = (name: string): Upstream => {
    const upstream = this.#upstreams.get(name);
    if (upstream === undefined) throw new Error(`no upstream ${name}`);
    return upstream;
  };

  readonly lastOf = (name: string) => Object(this.upstreamOf(name).requests.at(-1)?.body);

  readonly client = (apiKey = this.gateway.key('alice')) =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: this.gateway.url } });

  #start(): Promise<TestGateway> {
    const urlOf = (name: string): string => this.upstreamOf(name).url;
    const route = (provider: string, packs: readonly string[] = []): JsonObject => ({
      provider,
      model: 'm-1',
      pipeline: { ingress: [...packs], egress: [...packs] },
    });
    return TestGateway.start({
      here: true,
      config: {
        protocols: [{ type: 'gemini' }],
        providers: {
          chat: { type: 'openai', base_url: urlOf('chat'), region: 'eu' },
          messages: { type: 'anthropic', base_url: new URL(urlOf('messages')).origin, region: 'eu' },
          gemini: { type: 'gemini', base_url: new URL(urlOf('gemini')).origin, api_key: 'upstream-key', region: 'eu' },
        },
        packs: { pii: {}, words: { type: 'rules', rules: [{ name: 'no', words: ['forbidden'], verdict: 'block' }] } },
        routes: {
          chat: route('chat'),
          messages: route('messages'),
          'team/gemini': route('gemini'),
          'chat-pii': route('chat', ['pii']),
          'messages-pii': route('messages', ['pii']),
          'gemini-pii': route('gemini', ['pii']),
          words: route('gemini', ['words']),
        },
      },
    });
  }
}
