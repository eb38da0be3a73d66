import { inThread } from '@svc/toolkit/work';
import { choose } from '../chosen.ts';
import { findIn } from '../find-in.ts';

/** Runs in a worker thread. */
export default inThread((settings: Parameters<typeof choose>[0]) => findIn(choose(settings)));
