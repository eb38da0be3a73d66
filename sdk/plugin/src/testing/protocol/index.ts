import type { ConformanceCase } from '../cases/conformance-case.ts';
import { explained } from '../cases/explained.ts';
import { bridgeCases } from './bridge-cases.ts';
import { frameCases } from './frame-cases.ts';
import type { ProtocolConformanceOptions } from './recorded.ts';
import { bodyCases, tableCases } from './table-cases.ts';

export type { ProtocolConformanceOptions, RecordedBodies } from './recorded.ts';

/**
 * The checks that every protocol passes, over bodies that were recorded: no text is unseen, frames are read as they came and however texts are cut, an
 * edit changes what was edited and nothing else, and over the bridge nothing is lost in silence. The more kinds of parts the bodies have, the more it says.
 */
export function protocolConformance(options: ProtocolConformanceOptions): ConformanceCase[] {
  return explained([...tableCases(options), ...bodyCases(options), ...frameCases(options), ...bridgeCases(options)]);
}
