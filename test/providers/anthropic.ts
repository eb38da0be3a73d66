import type { ChatRequest, Provider } from '@svc/contracts';
import { MESSAGES } from '@svc/protocols';
import type { Upstream } from '@svc/sdk/testing';
import type { AnthropicOptions } from '../../plugins/provider-anthropic/src/options.ts';
import { provide as provideNative, startAnthropic } from '../../plugins/provider-anthropic/src/provider-fixture.ts';
import { chatProvider } from '../harness/chat-provider.ts';

export { callContext, startAnthropic } from '../../plugins/provider-anthropic/src/provider-fixture.ts';

export const REQUEST: ChatRequest = { model: 'claude-1', messages: [{ role: 'user', content: 'hello big world' }] };

/** The provider as callers of the chat format have it. */
export function provide(upstream: Upstream, given: Partial<AnthropicOptions> = {}): Provider {
  return chatProvider(provideNative(upstream, given), MESSAGES);
}

const opened: { provider: Provider; upstream: Upstream }[] = [];

/** A provider before a fresh upstream; {@link tearDown} closes both. */
export async function setUp(given: Partial<AnthropicOptions> = {}): Promise<{ upstream: Upstream; provider: Provider }> {
  const upstream = await startAnthropic();
  const pair = { upstream, provider: provide(upstream, given) };
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
