import type { AnyProvider, CallContext, ChatRequest, Provider } from '@svc/sdk';
import { startUpstream, type Upstream } from '@svc/sdk/testing';
import type { OpenAiOptions } from './options.ts';
import { openAiProvider } from './provider.ts';

/** The wall clock of tests: 2023-11-14T22:13:20.500Z. */
const NOW = 1_700_000_000_500;

export const REQUEST: ChatRequest = { model: 'm-1', messages: [{ role: 'user', content: 'hello big world' }] };

/** A provider of the chat format. */
export function openAi(base_url: string, options: Partial<OpenAiOptions> = {}): Provider {
  return anyOpenAi(base_url, options) as Provider;
}

export function anyOpenAi(base_url: string, options: Partial<OpenAiOptions> = {}): AnyProvider {
  const limits = { connections: 128, max_response_bytes: 16_777_216 };
  const all: OpenAiOptions = { base_url, api: 'chat_completions', extensions: [], ...limits, ...options };
  return openAiProvider(all, { now: () => NOW, monotonic: () => NOW });
}

const opened: { provider: Provider; upstream: Upstream }[] = [];

/** A provider before a fresh upstream; {@link tearDown} closes both. */
export async function setUp(options: Partial<OpenAiOptions> = {}): Promise<{ upstream: Upstream; provider: Provider }> {
  const upstream = await startUpstream();
  const pair = { upstream, provider: openAi(upstream.url, options) };
  opened.push(pair);
  return pair;
}

/** For `afterEach`: closes what {@link setUp} opened, and fails if an upstream's behaviour threw. */
export async function tearDown(): Promise<void> {
  for (const { provider, upstream } of opened.splice(0)) {
    await provider.close?.();
    await upstream.close();
  }
}

export function callContext(more: Partial<CallContext> = {}): CallContext {
  return { run_id: 'run-1', attempt: 1, signal: new AbortController().signal, timeout_ms: 30_000, ...more };
}
