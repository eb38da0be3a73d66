import { defineProvider } from '@svc/sdk';
import { OpenAiOptions } from './options.ts';
import { openAiProvider } from './provider.ts';

export default defineProvider({
  type: 'openai',
  options: OpenAiOptions,
  create: (options, deps) => openAiProvider(options, deps),
});
