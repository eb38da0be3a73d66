import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { durationMs } from './duration.ts';
import type { Reader } from './reader.ts';
import { closed, duration } from './schema-parts.ts';

export const RunsSchema = closed(
  {
    result_ttl: duration('How long the answer of a background or approved run is stored for its caller.', '24h'),
    record_start: Type.Boolean({
      default: true,
      description:
        'Write the start of every run to disk before the model call. `false`: a run that is not streamed is first written when it ends or pauses, so a crash before that leaves no trace.',
    }),
  },
  { default: {}, description: 'Runs and their answers.' },
);

/** The section `runs`. */
export interface RunsPart {
  readonly result_ttl_ms: number;
  readonly record_start: boolean;
}

export const readRuns: Reader<RunsPart> = (section) => {
  if (!Value.Check(RunsSchema, section)) return null;
  return { result_ttl_ms: durationMs(section.result_ttl), record_start: section.record_start };
};
