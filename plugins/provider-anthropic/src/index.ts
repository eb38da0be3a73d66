import { defineProvider } from '@svc/sdk';
import { AnthropicOptions, targetOf } from './options.ts';
import { anthropicProvider } from './provider.ts';

export default defineProvider({
  type: 'anthropic',
  options: AnthropicOptions,
  create: (options, deps) => anthropicProvider(targetOf(options), options, deps),
});
