import { inThread } from '@svc/toolkit/work';
import { findIn } from '../find-in.ts';
import { makeScanner } from '../scanner.ts';
import type { ScanSettings } from '../settings.ts';

/** Runs in a worker thread. */
export default inThread((settings: ScanSettings) => findIn(makeScanner(settings)));
