import type { TextOrigin } from '@svc/sdk/guard';
import { type Joint, jointsOf } from '@svc/toolkit/masking';
import { sourceOf } from '@svc/toolkit/segments';
import type { FindPlaces, Place, SeenSegment, Steps } from '@svc/toolkit/work';
import { assess } from './assess.ts';
import { combined, type Scores, type Signal } from './cues/signals.ts';
import { type Options, thresholdsOf } from './options.ts';
import { readings, textsOf } from './readings.ts';
import { hiding } from './views/hidden.ts';

/** Hidden characters either count towards the score or are removed. */
const HIDDEN: readonly Signal[] = ['hidden_text', 'bidi'];

type Weights = NonNullable<Options['weights']>;

/** Descriptions of tools address the model legitimately ("do not tell the user …"). */
const DESCRIBED: Weights = { indirect: 0.6 };

/** Entity type of places with hidden text. */
export const HIDING = 'hidden_text' satisfies Signal;

/** A text over the threshold: its score and its strongest signal. */
interface Alarm {
  readonly score: number;
  readonly strongest: Signal;
  readonly signals: ReadonlySet<Signal>;
  readonly origins: readonly TextOrigin[];
}

/** All texts over the threshold. */
export interface Alarms {
  /** The strongest signal of the highest-scoring text; null if there is none. */
  readonly worst: Signal | null;
  /** The score of that text; 0 if there is none. */
  readonly score: number;
  /** The number of texts with each signal. */
  readonly counts: readonly (readonly [signal: Signal, texts: number, origins: readonly TextOrigin[]])[];
}

/** A checked segment with its index among all segments. */
type Looked = SeenSegment & { readonly order: number };

/** Scores the texts of each source. The places are the hidden characters to remove. */
export function findIn(options: Options): FindPlaces<Alarms> {
  return function* (segments) {
    const all = segments.map((segment, order) => ({ ...segment, order }));
    const looked = all.filter((segment) => options.roles.includes(sourceOf(segment)));
    const summary = yield* alarmsIn(looked, jointsOf(segments), options);
    return { places: options.hidden === 'strip' ? yield* hidingIn(looked) : [], summary };
  };
}

function* alarmsIn(looked: readonly Looked[], joints: readonly Joint[], options: Options): Steps<Alarms> {
  const found = new Map<Signal, { readonly texts: number; readonly origins: ReadonlySet<TextOrigin> }>();
  let worst: Alarm | null = null;
  for (const group of readings(looked, joints)) {
    const alarm: Alarm | null = yield* alarmOf(group, options);
    for (const signal of alarm?.signals ?? []) {
      const { texts, origins } = found.get(signal) ?? { texts: 0, origins: [] };
      found.set(signal, { texts: texts + 1, origins: new Set([...origins, ...(alarm?.origins ?? [])]) });
    }
    if (alarm !== null && alarm.score > (worst?.score ?? 0)) worst = alarm;
  }
  const counts = Array.from(found, ([signal, { texts, origins }]) => [signal, texts, [...origins]] as const);
  return { worst: worst?.strongest ?? null, score: worst?.score ?? 0, counts };
}

function* alarmOf(group: readonly Looked[], options: Options): Steps<Alarm | null> {
  for (const { texts, threshold } of limitsOf(group, options)) {
    const usual = texts.every((segment) => sourceOf(segment) === 'request') ? DESCRIBED : {};
    const alarm = yield* alarmIn(textsOf(texts), threshold, options, usual);
    if (alarm !== null) return { ...alarm, origins: texts.map(({ origin }) => origin) };
  }
  return null;
}

/** The untrusted texts of a group with their own threshold, and all texts of the group with the threshold for trusted ones. */
function limitsOf(group: readonly Looked[], options: Options): readonly { texts: readonly Looked[]; threshold: number }[] {
  const { trusted, untrusted: strict } = thresholdsOf(options);
  const untrusted = group.filter((segment) => segment.untrusted);
  const all = { texts: group, threshold: trusted };
  if (untrusted.length === 0) return [all];
  const limited = { texts: untrusted, threshold: strict };
  return untrusted.length === group.length ? [limited] : [limited, all];
}

/** The highest-scoring part of a text in any reading, with the signals of all parts over the threshold. */
function* alarmIn(
  texts: readonly string[],
  threshold: number,
  options: Options,
  usual: Weights,
): Steps<Omit<Alarm, 'origins'> | null> {
  const signals = new Set<Signal>();
  let worst: Pick<Alarm, 'score' | 'strongest'> | null = null;
  for (const scores of partsOf(texts)) {
    const counted = weighted(scores, options, usual);
    const score = combined(counted);
    if (score >= threshold) {
      for (const [signal] of counted) signals.add(signal);
      if (worst === null || score > worst.score) worst = { score, strongest: strongestOf(counted) };
    }
    yield;
  }
  return worst === null ? null : { ...worst, signals };
}

function* partsOf(texts: readonly string[]): Generator<Scores> {
  for (const text of texts) yield* assess(text);
}

function weighted(scores: Scores, { hidden, weights }: Options, usual: Weights): Scores {
  const counted = [...scores].filter(([signal]) => hidden === 'judge' || !HIDDEN.includes(signal));
  return new Map(
    counted
      .map(([signal, score]) => [signal, score * (weights?.[signal] ?? 1) * (usual[signal] ?? 1)] as const)
      .filter(([, score]) => score > 0),
  );
}

/** `learned` does not say what was found, so it counts half. */
function strongestOf(scores: Scores): Signal {
  const [first] = [...scores]
    .map(([signal, score]) => [signal, signal === 'learned' ? score / 2 : score] as const)
    .sort(([, a], [, b]) => b - a);
  return first?.[0] ?? 'override';
}

/** Hidden characters in these segments, without overlap. */
function* hidingIn(looked: readonly Looked[]): Steps<Place[]> {
  const places: Place[] = [];
  for (const { text, order } of looked) {
    let free = 0;
    for (const { start, end } of [...hiding(text)].sort((a, b) => a.start - b.start || b.end - a.end)) {
      const from = Math.max(start, free);
      if (end > from) places.push({ entity_type: HIDING, score: 1, pieces: [{ order, start: from, end }] });
      free = Math.max(free, end);
    }
    yield;
  }
  return places;
}
