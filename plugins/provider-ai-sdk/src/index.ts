import { defineProvider } from '@svc/sdk';
import { AiSdkOptions } from './model/options.ts';
import { aiSdkProvider } from './provider.ts';

export default defineProvider({ type: 'ai-sdk', options: AiSdkOptions, create: aiSdkProvider });
