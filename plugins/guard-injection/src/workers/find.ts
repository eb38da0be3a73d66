import { inThread } from '@svc/sdk/work';
import { findIn } from '../find-in.ts';

/** Runs in a worker thread. */
export default inThread(findIn);
