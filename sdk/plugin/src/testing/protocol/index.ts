import type { ConformanceCase } from '../cases/conformance-case.ts';
import { explained } from '../cases/explained.ts';
import { bridgeCases } from './bridge-cases.ts';
import { frameCases } from './frame-cases.ts';
import type { ProtocolConformanceOptions } from './recorded.ts';
import { bodyCases, tableCases } from './table-cases.ts';

export type { ProtocolConformanceOptions, RecordedBodies } from './recorded.ts';

/**
 * The checks that every protocol must pass, with recorded bodies: guards see every text, frames are read in the same way however texts are split, an
 * edit changes nothing else, and the bridge reports every loss. The more kinds of parts the bodies contain, the more the checks cover.
 */
export function protocolConformance(options: ProtocolConformanceOptions): ConformanceCase[] {
  return explained([...tableCases(options), ...bodyCases(options), ...frameCases(options), ...bridgeCases(options)]);
}
