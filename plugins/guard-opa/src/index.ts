import { defineGuard } from '@svc/sdk';
import { makeGuard } from './guard.ts';
import { Options } from './options.ts';

/** The guard `opa`: a policy of Open Policy Agent decides. See README.md. */
export default defineGuard({ type: 'opa', options: Options, create: makeGuard });
