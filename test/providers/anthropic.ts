import type { ChatRequest, Provider } from '@svc/contracts';
import { MESSAGES } from '@svc/protocols';
import type { Upstream } from '@svc/sdk/testing';
import type { AnthropicOptions } from '../../plugins/provider-anthropic/src/options.ts';
import { provide as provideNative, startAnthropic } from '../../plugins/provider-anthropic/src/provider-fixture.ts';
import { toClose } from '../../plugins/provider-openai/src/provider-fixture.ts';
import { chatProvider } from '../harness/chat-provider.ts';

export { startAnthropic } from '../../plugins/provider-anthropic/src/provider-fixture.ts';
export { tearDown } from '../../plugins/provider-openai/src/provider-fixture.ts';

export const REQUEST: ChatRequest = { model: 'claude-1', messages: [{ role: 'user', content: 'hello big world' }] };

/** The provider with the interface for callers of the chat format. */
export function provide(upstream: Upstream, given: Partial<AnthropicOptions> = {}): Provider {
  return chatProvider(provideNative(upstream, given), MESSAGES);
}

/** A provider with a new upstream; {@link tearDown} closes both. */
export async function setUp(given: Partial<AnthropicOptions> = {}): Promise<{ upstream: Upstream; provider: Provider }> {
  const upstream = await startAnthropic();
  return toClose({ upstream, provider: provide(upstream, given) });
}
