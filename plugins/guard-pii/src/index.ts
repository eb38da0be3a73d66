import { defineGuard } from '@svc/sdk';
import { makeGuard } from './guard.ts';
import { Options } from './options.ts';

/** The guard `pii`: finds personal data and replaces it with placeholders. See README.md. */
export default defineGuard({ type: 'pii', options: Options, create: makeGuard });
