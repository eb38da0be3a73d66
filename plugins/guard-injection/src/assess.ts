import { conversation } from './cues/conversation.ts';
import type { Cue } from './cues/cue.ts';
import { english } from './cues/english.ts';
import { Grams, type Trace, tracesOf } from './cues/grams.ts';
import { indirect } from './cues/indirect.ts';
import { languages } from './cues/languages.ts';
import { markdown } from './cues/markdown.ts';
import { needsOf } from './cues/needs.ts';
import { roleSpoof } from './cues/role-spoof.ts';
import { combined, raise, type Scores, type Signal } from './cues/signals.ts';
import { likenessOf } from './learned/likeness.ts';
import { disguises } from './views/disguises.ts';
import { decoded, rot13 } from './views/encodings.ts';
import { fold } from './views/fold.ts';
import { hidden } from './views/hidden.ts';
import { withoutPolicies } from './views/policies.ts';
import { withoutDiscussed, withoutQuestions, withoutReports } from './views/quotations.ts';

/** A cue, and the fragments that it needs: this lets most texts skip most cues. */
interface Sought extends Cue {
  readonly needs: readonly (readonly Trace[])[];
}

const sought = (cue: Cue): Sought => ({ ...cue, needs: tracesOf(needsOf(cue.pattern)) });

const CUES: readonly Sought[] = [...english, ...languages, ...conversation, ...indirect, ...roleSpoof, ...markdown].map(sought);
/** From this score on, no other reading of a text can matter. */
const CERTAIN = 0.9;
/** Another reading of a text counts from this score on. */
const SURE = 0.3;
/** Encoded text may contain more encoded text. */
const MAX_LAYERS = 2;
/** Text is scored in windows, because a whole book contains all of these words. */
const WINDOW = 4000;
const OVERLAP = 400;

/** The scores of each part of a text. A generator, so that other runs get a turn between parts. */
export function* assess(text: string, layers = MAX_LAYERS): Generator<Scores> {
  for (let from = 0; from === 0 || from + OVERLAP < text.length; from += WINDOW - OVERLAP) {
    yield weighed(text.slice(from, from + WINDOW).toWellFormed());
  }
  if (layers === 0) return;
  for (const inner of new Set([...decoded(text), ...hidden(text).texts])) {
    for (const scores of assess(inner, layers - 1)) {
      const score = combined(scores);
      yield new Map(score >= SURE ? [['encoded', score] as const] : []);
    }
  }
}

/** The score of the strongest cue for each signal. */
function weighed(text: string): Scores {
  const scores = new Map<Signal, number>();
  const covered = hidden(text);
  raise(scores, 'hidden_text', covered.score);
  raise(scores, 'bidi', covered.bidi);
  const folded = addressed(fold(text));
  for (const [signal, score] of read(folded)) raise(scores, signal, score);
  const plain = combined(scores);
  if (plain >= CERTAIN) return scores;
  const { forms, foreign } = disguises(folded);
  raiseTo(
    scores,
    plain,
    'obfuscated',
    forms.map((form) => combined(read(form))),
  );
  if (foreign) raiseTo(scores, plain, 'encoded', [combined(read(addressed(fold(rot13(text)))))]);
  return scores;
}

/** What a text says to its reader. */
function addressed(folded: string): string {
  return withoutPolicies(withoutReports(withoutDiscussed(folded)));
}

/** Another reading of a text counts if it says clearly more than the text itself: then all signals together reach its score. */
function raiseTo(scores: Map<Signal, number>, plain: number, signal: Signal, readings: readonly number[]): void {
  const score = Math.max(0, ...readings);
  if (score >= SURE && score > plain) raise(scores, signal, 1 - (1 - score) / (1 - plain));
}

function read(folded: string): Scores {
  const scores = new Map<Signal, number>();
  raise(scores, 'learned', likenessOf(folded));
  const asked = withoutQuestions(folded);
  const grams = new Grams(asked);
  for (const { signal, score, pattern, needs } of CUES) {
    if (score > (scores.get(signal) ?? 0) && grams.mayHold(needs) && pattern.test(asked)) raise(scores, signal, score);
  }
  return scores;
}
