import fc from 'fast-check';
import { vi } from 'vitest';
import { LONG } from '../fault/form.ts';

/** Default number of cases per property: few in frequent runs, many in long runs. */
fc.configureGlobal({ numRuns: LONG ? 2_000 : 100 });
if (LONG) vi.setConfig({ testTimeout: 3_600_000 });
