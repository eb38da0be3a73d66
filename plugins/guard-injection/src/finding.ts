import { TEXT_ORIGINS } from '@svc/sdk/guard';
import { type Finding, weighsAtMost } from '@svc/toolkit/work';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { SIGNALS } from './cues/signals.ts';
import { type Alarms, findIn, HIDING } from './find-in.ts';
import type { Options } from './options.ts';

/** Maximum code units checked on the event loop: 3 to 10 ms, in turns. */
const MAX_INLINE = 16_384;

const Signal = Type.Enum([...SIGNALS]);
const AlarmsSchema = Type.Object(
  {
    worst: Type.Union([Signal, Type.Null()]),
    score: Type.Number({ minimum: 0, maximum: 1 }),
    counts: Type.Array(Type.Tuple([Signal, Type.Integer({ minimum: 1 }), Type.Array(Type.Enum([...TEXT_ORIGINS]))]), {
      maxItems: SIGNALS.length,
    }),
  },
  { additionalProperties: false },
);

/** The same options on the event loop and in a thread. */
export function findingOf(options: Options): Finding<Alarms> {
  return {
    find: findIn(options),
    moduleUrl: import.meta.resolve('#find'),
    settings: options,
    isSmall: (segments) => weighsAtMost(MAX_INLINE, segments),
    isName: (name) => name === HIDING,
    isSummary: (value): value is Static<typeof AlarmsSchema> =>
      // A worst signal exists exactly if a signal was counted.
      Value.Check(AlarmsSchema, value) && (value.worst === null) === (value.counts.length === 0),
  };
}
