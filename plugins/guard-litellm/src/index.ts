import { defineGuard } from '@svc/sdk';
import { makeGuard } from './guard.ts';
import { Options } from './options.ts';

/** The guard `litellm`: a guardrail with LiteLLM's generic guardrail API decides. See README.md. */
export default defineGuard({ type: 'litellm', options: Options, create: makeGuard });
