import type { Edit, GuardResult, Segment } from '@svc/sdk/plugin';
import { assess } from './assess.ts';
import type { Options } from './options.ts';
import { combined, type Scores, SIGNALS, type Signal } from './signals.ts';
import { readings, sourceOf } from './sources.ts';
import type { Turns } from './turns.ts';
import { hiding } from './views/hidden.ts';

/** Hidden characters count towards the score, or they are taken out. */
const HIDDEN: readonly Signal[] = ['hidden_text', 'bidi'];

/** Weighs what each source wrote; the strongest signal of the worst text names the result. */
export async function judge(options: Options, segments: readonly Segment[], turns: Turns): Promise<GuardResult> {
  const looked = segments.filter((segment) => options.roles.includes(sourceOf(segment)));
  const counts = new Map<Signal, number>();
  let worst: { score: number; signal: Signal } | null = null;
  for (const group of readings(looked)) {
    const found = new Set<Signal>();
    for (const scores of assess(group.map(({ text }) => text).join('\n'))) {
      const counted = weighted(scores, options);
      const score = combined(counted);
      if (score >= options.threshold) {
        for (const [signal] of counted) found.add(signal);
        if (worst === null || score > worst.score) worst = { score, signal: strongestOf(counted) };
      }
      await turns.next();
    }
    for (const signal of found) counts.set(signal, (counts.get(signal) ?? 0) + 1);
  }
  const edits = options.hidden === 'strip' ? looked.flatMap(stripped) : [];
  if (edits.length > 0) counts.set('hidden_text', edits.length);
  const findings = SIGNALS.flatMap((signal) => {
    const count = counts.get(signal) ?? 0;
    return count > 0 ? [{ entity_type: signal, count }] : [];
  });
  if (worst !== null) return { verdict: options.verdict, code: worst.signal, edits, findings };
  if (edits.length > 0) return { verdict: 'sanitize', code: 'hidden_text', edits, findings };
  return { verdict: 'allow', code: 'no-match', edits: [], findings: [] };
}

function weighted(scores: Scores, { hidden, weights }: Options): Scores {
  const counted = [...scores].filter(([signal]) => hidden === 'judge' || !HIDDEN.includes(signal));
  return new Map(
    counted.map(([signal, score]) => [signal, score * (weights?.[signal] ?? 1)] as const).filter(([, score]) => score > 0),
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
