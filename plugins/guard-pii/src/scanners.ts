import { isDefinition, isInstruction } from '@svc/toolkit/segments';
import type { SeenSegment } from '@svc/toolkit/work';
import { isByWords } from './entities.ts';
import { makeScanner, type Scanner } from './scanner.ts';
import type { ScanSettings } from './settings.ts';

/** The scanner for the text of a segment. */
export type ScannerFor = (segment: Pick<SeenSegment, 'role' | 'path'>) => Scanner;

/** @throws {Error} see {@link makeScanner} */
export function makeScanners(settings: ScanSettings): ScannerFor {
  const everywhere = makeScanner(settings);
  if (settings.names_in_instructions) return () => everywhere;
  const nameless = makeScanner({ ...settings, entities: settings.entities.filter((entity) => !isByWords(entity)) });
  return (segment) => (instructs(segment) ? nameless : everywhere);
}

/** Whether the segment is part of a system prompt, a tool definition or an answer schema. */
function instructs(segment: Pick<SeenSegment, 'role' | 'path'>): boolean {
  return isInstruction(segment.role) || isDefinition(segment);
}
