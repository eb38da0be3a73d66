import { defineProvider } from '@svc/sdk';
import { OpenAiOptions, targetsOf } from './options.ts';
import { openAiProvider } from './provider.ts';

export default defineProvider({
  type: 'openai',
  options: OpenAiOptions,
  create: (options, deps) => openAiProvider(targetsOf(options), options, deps.clock),
});
