import { defineProvider } from '@svc/sdk';
import type { AnyProvider } from '@svc/sdk/provider';
import { GeminiOptions, targetOf } from './options.ts';
import { geminiProvider } from './provider.ts';

export default defineProvider({
  type: 'gemini',
  options: GeminiOptions,
  create: (options, deps): AnyProvider => geminiProvider(targetOf(options), options, deps),
});
