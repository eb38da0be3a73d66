import { RESPONSES } from '@svc/protocols';
import type { Provider } from '@svc/sdk';
import { responses, startUpstream, type Upstream } from '@svc/sdk/testing';
import { anyOpenAi, toClose } from '../../plugins/provider-openai/src/provider-fixture.ts';
import { chatProvider } from '../harness/chat-provider.ts';

export { REQUEST, tearDown } from '../../plugins/provider-openai/src/provider-fixture.ts';

export function startResponses(): Promise<Upstream> {
  return startUpstream(responses.answer());
}

/** A provider with a new upstream of the Responses API; {@link tearDown} closes both. */
export async function setUp(): Promise<{ upstream: Upstream; provider: Provider }> {
  const upstream = await startResponses();
  return toClose({ upstream, provider: provide(upstream) });
}

/** The provider with the interface for callers of the chat format. */
export function provide({ url }: Upstream): Provider {
  return chatProvider(anyOpenAi(url, { api: 'responses' }), RESPONSES);
}
