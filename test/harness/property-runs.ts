import fc from 'fast-check';
import { vi } from 'vitest';
import { LONG } from '../fault/form.ts';

/** Cases of each law that has no reason for a number of its own: bounded where tests run all day, many in the long form. */
fc.configureGlobal({ numRuns: LONG ? 2_000 : 100 });
if (LONG) vi.setConfig({ testTimeout: 3_600_000 });
