import { defineGuard } from '@svc/sdk';
import { makeGuard } from './guard.ts';
import { Options } from './options.ts';

/** The guard `moderation`: a moderations API with OpenAI's format decides. See README.md. */
export default defineGuard({ type: 'moderation', options: Options, create: makeGuard });
