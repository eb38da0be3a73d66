import type { ChatRequest, Provider } from '@svc/sdk';
import type { AnyProvider } from '@svc/sdk/provider';
import { fakePluginDeps, startUpstream, type Upstream } from '@svc/sdk/testing';
import type { OpenAiOptions } from './options.ts';
import { openAiProvider } from './provider.ts';

/** The clock in tests: 2023-11-14T22:13:20.500Z. */
const NOW = 1_700_000_000_500;

export const REQUEST: ChatRequest = { model: 'm-1', messages: [{ role: 'user', content: 'hello big world' }] };

/** A provider for the chat format. */
export function openAi(base_url: string, options: Partial<OpenAiOptions> = {}): Provider {
  return anyOpenAi(base_url, options) as Provider;
}

export function anyOpenAi(base_url: string, options: Partial<OpenAiOptions> = {}): AnyProvider {
  const limits = { connections: 128, max_response_bytes: 16_777_216 };
  const all: OpenAiOptions = { base_url, api: 'chat_completions', extensions: [], ...limits, ...options };
  return openAiProvider(all, fakePluginDeps({ clock: { now: () => NOW, monotonic: () => NOW } }));
}

const opened: { provider: Provider; upstream: Upstream }[] = [];

/** A provider with a new upstream; {@link tearDown} closes both. */
export async function setUp(options: Partial<OpenAiOptions> = {}): Promise<{ upstream: Upstream; provider: Provider }> {
  const upstream = await startUpstream();
  return toClose({ upstream, provider: openAi(upstream.url, options) });
}

/** Registers both for {@link tearDown}. */
export function toClose<T extends { readonly provider: Provider; readonly upstream: Upstream }>(scene: T): T {
  opened.push(scene);
  return scene;
}

/** For `afterEach`. Closes what {@link setUp} opened, and fails if an upstream's behaviour threw. */
export async function tearDown(): Promise<void> {
  for (const { provider, upstream } of opened.splice(0)) {
    await provider.close?.();
    await upstream.close();
  }
}
