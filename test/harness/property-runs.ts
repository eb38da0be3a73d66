import fc from 'fast-check';
import { vi } from 'vitest';
import { LONG } from '../fault/form.ts';

/** Default number of cases per property: few for frequent runs, many in the long form. */
fc.configureGlobal({ numRuns: LONG ? 2_000 : 100 });
if (LONG) vi.setConfig({ testTimeout: 3_600_000 });
