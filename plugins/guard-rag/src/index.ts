import { defineGuard } from '@svc/sdk';
import { ragGuard } from './guard.ts';
import { RagOptions } from './options.ts';

/** The guard `rag`: adds the documents nearest to the question to the request. See README.md. */
export default defineGuard({
  type: 'rag',
  options: RagOptions,
  create: (options, { openNamespace }) => ragGuard(options, openNamespace),
});
