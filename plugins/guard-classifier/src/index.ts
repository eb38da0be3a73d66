import { defineGuard } from '@svc/sdk';
import { makeGuard } from './guard.ts';
import { Options } from './options.ts';

/** The guard `classifier`: a text-classification model of the operator judges texts. See README.md. */
export default defineGuard({ type: 'classifier', options: Options, create: makeGuard });
