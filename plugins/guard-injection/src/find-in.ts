import { type Joint, jointsOf } from '@svc/toolkit/masking';
import type { FindPlaces, Place, SeenSegment, Steps } from '@svc/toolkit/work';
import { assess } from './assess.ts';
import { combined, type Scores, type Signal } from './cues/signals.ts';
import type { Options } from './options.ts';
import { readings, sourceOf, textsOf } from './sources.ts';
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
}

/** All texts over the threshold. */
export interface Alarms {
  /** The strongest signal of the highest-scoring text; null if there is none. */
  readonly worst: Signal | null;
  /** The number of texts with each signal. */
  readonly counts: readonly (readonly [Signal, number])[];
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
  const counts = new Map<Signal, number>();
  let worst: Alarm | null = null;
  for (const group of readings(looked, joints)) {
    const usual = group.every((segment) => sourceOf(segment) === 'request') ? DESCRIBED : {};
    const alarm: Alarm | null = yield* alarmIn(textsOf(group), options, usual);
    for (const signal of alarm?.signals ?? []) counts.set(signal, (counts.get(signal) ?? 0) + 1);
    if (alarm !== null && alarm.score > (worst?.score ?? 0)) worst = alarm;
  }
  return { worst: worst?.strongest ?? null, counts: [...counts] };
}

/** The highest-scoring part of a text in any reading, with the signals of all parts over the threshold. */
function* alarmIn(texts: readonly string[], options: Options, usual: Weights): Steps<Alarm | null> {
  const signals = new Set<Signal>();
  let worst: Omit<Alarm, 'signals'> | null = null;
  for (const scores of partsOf(texts)) {
    const counted = weighted(scores, options, usual);
    const score = combined(counted);
    if (score >= options.threshold) {
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

function strongestOf(scores: Scores): Signal {
  const [first] = [...scores].sort(([, a], [, b]) => b - a);
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
