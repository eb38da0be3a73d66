import { inThread } from '@svc/toolkit/work';
import { compileRules } from '../compile.ts';
import { findIn } from '../find-in.ts';
import type { FindSettings } from '../finding.ts';

export default inThread(({ rules, what }: FindSettings) => findIn(compileRules(rules), what));
