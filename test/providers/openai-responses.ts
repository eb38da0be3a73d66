import { RESPONSES } from '@svc/protocols';
import type { Provider } from '@svc/sdk';
import { responses, startUpstream, type Upstream } from '@svc/sdk/testing';
import { anyOpenAi } from '../../plugins/provider-openai/src/provider-fixture.ts';
import { chatProvider } from '../harness/chat-provider.ts';

export { callContext, REQUEST } from '../../plugins/provider-openai/src/provider-fixture.ts';

const opened: { provider: Provider; upstream: Upstream }[] = [];

export function startResponses(): Promise<Upstream> {
  return startUpstream(responses.answer());
}

/** A provider before a fresh upstream of the Responses API; {@link tearDown} closes both. */
export async function setUp(): Promise<{ upstream: Upstream; provider: Provider }> {
  const upstream = await startResponses();
  const pair = { upstream, provider: provide(upstream) };
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

/** The provider as callers of the chat format have it. */
export function provide({ url }: Upstream): Provider {
  return chatProvider(anyOpenAi(url, { api: 'responses' }), RESPONSES);
}
