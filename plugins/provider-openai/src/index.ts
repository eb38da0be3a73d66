import { defineProvider } from '@svc/sdk';
import type { AnyProvider } from '@svc/sdk/provider';
import { OpenAiOptions } from './options.ts';
import { openAiProvider } from './provider.ts';

export default defineProvider({
  type: 'openai',
  options: OpenAiOptions,
  create: (options, deps): AnyProvider => openAiProvider(options, deps),
});
