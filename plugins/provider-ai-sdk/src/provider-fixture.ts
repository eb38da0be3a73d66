import type { ChatCompletionChunk, ChatRequest, Provider } from '@svc/sdk';
import { type FakePluginDeps, fakeCallContext, fakePluginDeps, startUpstream, type Upstream } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { AiSdkOptions } from './model/options.ts';
import { aiSdkProvider } from './provider.ts';

export function optionsWith(given: object): AiSdkOptions {
  const options: unknown = Value.Default(AiSdkOptions, { ...given });
  Value.Assert(AiSdkOptions, options);
  return options;
}

interface Scene {
  readonly provider: Provider;
  readonly upstream: Upstream;
  readonly deps: FakePluginDeps;
}

const opened: Scene[] = [];

/**
 * A provider with a new upstream; {@link tearDown} closes both.
 * @param given returns options for the upstream's URL, which has no path
 */
export async function setUp(given: (url: string) => object, upstreams?: Parameters<typeof startUpstream>[0]): Promise<Scene> {
  const upstream = await startUpstream(upstreams);
  const deps = fakePluginDeps();
  const provider = aiSdkProvider(optionsWith(given(new URL(upstream.url).origin)), deps);
  const scene = { provider, upstream, deps };
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

export async function read(
  provider: Provider,
  request: ChatRequest,
  context = fakeCallContext(),
): Promise<ChatCompletionChunk[]> {
  const chunks: ChatCompletionChunk[] = [];
  for await (const chunk of (await provider.stream(request, context)).chunks) chunks.push(chunk);
  return chunks;
}
