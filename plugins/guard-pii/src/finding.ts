import { PLACEHOLDER } from '@svc/toolkit/masking';
import { type Finding, weighsAtMost } from '@svc/toolkit/work';
import { NAME_ENTITIES } from './entities.ts';
import { findIn } from './find-in.ts';
import type { ScannerFor } from './scanners.ts';
import type { ScanSettings } from './settings.ts';
import { isDigit } from './text/characters.ts';

/** Maximum number of code units that are scanned on the event loop, which takes 1 to 3 ms. See README.md, Speed. */
const MAX_INLINE = { patterns: 32_768, names: 16_384 } as const;
/** How much more a digit counts. Recognisers stop at digits, so a text of digits takes ten times as long. */
const DIGIT = 8;

/** Uses these scanners on the event loop. In a thread, equivalent ones are made from the settings. */
export function findingOf(settings: ScanSettings, scannerFor: ScannerFor): Finding<null> {
  const { entities, recognizers } = settings;
  const names = new Set([...entities, ...recognizers.map(({ entity }) => entity), PLACEHOLDER]);
  const most = entities.some((entity) => NAME_ENTITIES.includes(entity)) ? MAX_INLINE.names : MAX_INLINE.patterns;
  return {
    find: findIn(scannerFor),
    moduleUrl: import.meta.resolve('#find'),
    settings,
    isSmall: (segments) => weighsAtMost(most, segments, (code) => (isDigit(code) ? DIGIT : 0)),
    isName: (name) => names.has(name),
    isSummary: (value) => value === null,
  };
}
