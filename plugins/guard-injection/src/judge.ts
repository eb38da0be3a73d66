import type { Edit, GuardResult, Segment } from '@svc/sdk/plugin';
import { assess } from './assess.ts';
import type { Options } from './options.ts';
import { combined, type Scores, SIGNALS, type Signal } from './signals.ts';
import { readings, sourceOf } from './sources.ts';
import type { Turns } from './turns.ts';
import { hiding } from './views/hidden.ts';

/** Hidden characters count towards the score, or they are taken out. */
const HIDDEN: readonly Signal[] = ['hidden_text', 'bidi'];

type Weights = NonNullable<Options['weights']>;

/** Descriptions of tools speak to the model by right ("do not tell the user …"). */
const DESCRIBED: Weights = { indirect: 0.6 };

/** What refuses: the score of one text, and the strongest signal in it. */
interface Alarm {
  readonly score: number;
  readonly strongest: Signal;
  readonly signals: ReadonlySet<Signal>;
}

/** Weighs what each source wrote; the strongest signal of the worst text names the result. */
export async function judge(options: Options, segments: readonly Segment[], turns: Turns): Promise<GuardResult> {
  const looked = segments.filter((segment) => options.roles.includes(sourceOf(segment)));
  const alarms: Alarm[] = [];
  for (const group of readings(looked)) {
    const usual = group.every((segment) => sourceOf(segment) === 'request') ? DESCRIBED : {};
    const alarm = await alarmIn(group.map(({ text }) => text).join('\n'), options, usual, turns);
    if (alarm !== null) alarms.push(alarm);
  }
  const edits = options.hidden === 'strip' ? looked.flatMap(stripped) : [];
  const findings = SIGNALS.flatMap((signal) => {
    const count = alarms.filter(({ signals }) => signals.has(signal)).length + (signal === 'hidden_text' ? edits.length : 0);
    return count > 0 ? [{ entity_type: signal, count }] : [];
  });
  const [worst] = alarms.sort((a, b) => b.score - a.score);
  if (worst !== undefined) return { verdict: options.verdict, code: worst.strongest, edits, findings };
  if (edits.length > 0) return { verdict: 'sanitize', code: 'hidden_text', edits, findings };
  return { verdict: 'allow', code: 'no-match', edits: [], findings: [] };
}

/** The worst part of a text, with the signals of all parts that refuse. */
async function alarmIn(text: string, options: Options, usual: Weights, turns: Turns): Promise<Alarm | null> {
  const signals = new Set<Signal>();
  let worst: Omit<Alarm, 'signals'> | null = null;
  for (const scores of assess(text)) {
    const counted = weighted(scores, options, usual);
    const score = combined(counted);
    if (score >= options.threshold) {
      for (const [signal] of counted) signals.add(signal);
      if (worst === null || score > worst.score) worst = { score, strongest: strongestOf(counted) };
    }
    await turns.next();
  }
  return worst === null ? null : { ...worst, signals };
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

/** Edits that take out what hides text, without overlap. */
function stripped({ index, text }: Segment): Edit[] {
  const edits: Edit[] = [];
  let free = 0;
  for (const { start, end } of [...hiding(text)].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const from = Math.max(start, free);
    if (end > from) edits.push({ segment: index, start: from, end, replacement: '' });
    free = Math.max(free, end);
  }
  return edits;
}
