import { defineProvider } from '@svc/sdk';
import { OpenAiOptions, serverOf } from './options.ts';
import { openAiProvider } from './provider.ts';

export default defineProvider({
  type: 'openai',
  options: OpenAiOptions,
  create: (options, deps) => openAiProvider(serverOf(options), options, deps.clock),
});
