import { type Finding, weighsAtMost } from '@svc/toolkit/work';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { SIGNALS } from './cues/signals.ts';
import { type Alarms, findIn, HIDING } from './find-in.ts';
import type { Options } from './options.ts';

/** Code units that are weighed on the loop: 3 to 10 ms, in turns. */
const MAX_INLINE = 16_384;

const Signal = Type.Enum([...SIGNALS]);
const AlarmsSchema = Type.Object(
  {
    worst: Type.Union([Signal, Type.Null()]),
    counts: Type.Array(Type.Tuple([Signal, Type.Integer({ minimum: 1 })]), { maxItems: SIGNALS.length }),
  },
  { additionalProperties: false },
);

/** How this guard finds: the same options on the loop and in a thread. */
export function findingOf(options: Options): Finding<Alarms> {
  return {
    find: findIn(options),
    moduleUrl: import.meta.resolve('#find'),
    settings: options,
    isSmall: (segments) => weighsAtMost(MAX_INLINE, segments),
    isName: (name) => name === HIDING,
    isSummary: (value): value is Static<typeof AlarmsSchema> =>
      // What refuses has a signal.
      Value.Check(AlarmsSchema, value) && (value.worst === null) === (value.counts.length === 0),
  };
}
