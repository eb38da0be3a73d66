import { PLACEHOLDER } from '@svc/toolkit/masking';
import { type Finding, weighsAtMost } from '@svc/toolkit/work';
import { NAME_ENTITIES } from './entities.ts';
import { findIn } from './find-in.ts';
import type { ScannerFor } from './scanners.ts';
import type { ScanSettings } from './settings.ts';
import { isDigit } from './text/characters.ts';

/** Code units in all that are scanned on the loop, about 2 ms. See README.md, Speed. */
const MAX_INLINE = { patterns: 32_768, names: 16_384 } as const;
/** A digit counts as so many more: recognisers stop there, and a text made of nearly nothing else takes ten times as long. */
const DIGIT = 8;

/** How this guard finds: with these scanners on the loop, with some of the same settings in a thread. */
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
