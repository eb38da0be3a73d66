import { defineGuard } from '@svc/sdk';
import { makeGuard } from './guard.ts';
import { Options } from './options.ts';

/** The guard `judge`: a chat model such as Llama Guard decides. See README.md. */
export default defineGuard({ type: 'judge', options: Options, create: makeGuard });
