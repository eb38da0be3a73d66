import { defineProvider } from '@svc/sdk';
import { anthropicProvider } from './provider.ts';
import { AnthropicOptions, targetOf } from './options.ts';

export default defineProvider({
  type: 'anthropic',
  options: AnthropicOptions,
  create: (options, deps) => anthropicProvider(targetOf(options), options, deps.clock),
});
