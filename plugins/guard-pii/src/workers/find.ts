import { inThread } from '@svc/toolkit/work';
import { findIn } from '../find-in.ts';
import { makeScanners } from '../scanners.ts';
import type { ScanSettings } from '../settings.ts';

export default inThread((settings: ScanSettings) => findIn(makeScanners(settings)));
