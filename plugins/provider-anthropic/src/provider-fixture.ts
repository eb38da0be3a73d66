import type { RequestBody } from '@svc/sdk/protocol';
import type { AnyProvider } from '@svc/sdk/provider';
import { anthropic, fakePluginDeps, startUpstream, type Upstream } from '@svc/sdk/testing';
import { Value } from 'typebox/value';
import { AnthropicOptions, targetOf } from './options.ts';
import { anthropicProvider } from './provider.ts';

/** The clock in tests: 2023-11-14T22:13:20.500Z. */
const NOW = 1_700_000_000_500;

export const REQUEST: RequestBody = {
  model: 'claude-1',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'hello big world' }],
};

export function optionsWith(given: object = {}): AnthropicOptions {
  const options: unknown = Value.Default(AnthropicOptions, { ...given });
  Value.Assert(AnthropicOptions, options);
  return options;
}

export function startAnthropic(): Promise<Upstream> {
  return startUpstream(anthropic.answer());
}

export function provide(upstream: Upstream, given: Partial<AnthropicOptions> = {}): AnyProvider {
  const options = optionsWith({ base_url: new URL(upstream.url).origin, ...given });
  return anthropicProvider(targetOf(options), options, fakePluginDeps({ clock: { now: () => NOW, monotonic: () => NOW } }));
}
