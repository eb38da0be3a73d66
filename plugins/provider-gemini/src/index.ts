import { defineProvider } from '@svc/sdk';
import { GeminiOptions, targetOf } from './options.ts';
import { geminiProvider } from './provider.ts';

export default defineProvider({
  type: 'gemini',
  options: GeminiOptions,
  create: (options, deps) => geminiProvider(targetOf(options), options, deps),
});
