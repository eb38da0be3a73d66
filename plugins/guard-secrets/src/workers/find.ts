import { inThread } from '@svc/toolkit/work';
import { choose } from '../chosen.ts';
import { findIn } from '../find-in.ts';

export default inThread((settings: Parameters<typeof choose>[0]) => findIn(choose(settings)));
