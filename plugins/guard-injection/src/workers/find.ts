import { inThread } from '@svc/toolkit/work';
import { findIn } from '../find-in.ts';

export default inThread(findIn);
