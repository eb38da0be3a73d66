import { defineGuard } from '@svc/sdk';
import { makeGuard } from './guard.ts';
import { Options } from './options.ts';

/** The guard `presidio`: Microsoft's Presidio analyzer finds personal data. See README.md. */
export default defineGuard({ type: 'presidio', options: Options, create: makeGuard });
