import { defineProvider } from '@svc/sdk';
import { anthropicProvider } from './provider.ts';
import { AnthropicOptions, targetOf } from './request/options.ts';

export default defineProvider({
  type: 'anthropic',
  options: AnthropicOptions,
  create: (options, deps) => anthropicProvider(targetOf(options), options, deps.clock),
});
