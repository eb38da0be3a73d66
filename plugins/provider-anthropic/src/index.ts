import { defineProvider } from '@svc/sdk';
import type { AnyProvider } from '@svc/sdk/provider';
import { AnthropicOptions, targetOf } from './options.ts';
import { anthropicProvider } from './provider.ts';

export default defineProvider({
  type: 'anthropic',
  options: AnthropicOptions,
  create: (options, deps): AnyProvider => anthropicProvider(targetOf(options), options, deps),
});
