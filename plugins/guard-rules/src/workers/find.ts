import { inThread } from '@svc/toolkit/work';
import { compileRules } from '../compile.ts';
import { findIn } from '../find-in.ts';
import type { FindSettings } from '../finding.ts';

/** Runs in a worker thread. */
export default inThread(({ rules, what }: FindSettings) => findIn(compileRules(rules), what));
