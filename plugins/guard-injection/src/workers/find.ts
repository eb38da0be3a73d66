import { inThread } from '@svc/toolkit/work';
import { findIn } from '../find-in.ts';

/** Runs in a worker thread. */
export default inThread(findIn);
