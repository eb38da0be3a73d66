import { PLACEHOLDER } from '@svc/toolkit/masking';
import { type Finding, weighsAtMost } from '@svc/toolkit/work';
import type { Chosen } from './chosen.ts';
import { ENTITIES } from './detectors/index.ts';
import { findIn } from './find-in.ts';
import type { Options } from './options.ts';

/** Maximum code units searched on the event loop. A thread takes 0.1 ms more, and near-matches take up to 1 ms per 1,000 code units. */
const MAX_INLINE = 16_384;

/** Uses `chosen` on the event loop. In a thread, uses the same options. */
export function findingOf(options: Options, chosen: Chosen): Finding<null> {
  return {
    find: findIn(chosen),
    moduleUrl: import.meta.resolve('#find'),
    settings: options,
    isSmall: (segments) => weighsAtMost(MAX_INLINE, segments),
    isName: (name) => name === PLACEHOLDER || ENTITIES.includes(name),
    isSummary: (value) => value === null,
  };
}
