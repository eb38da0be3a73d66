import type { Cue } from './cues/cue.ts';
import { english } from './cues/english.ts';
import { Grams, type Trace, tracesOf } from './cues/grams.ts';
import { indirect } from './cues/indirect.ts';
import { languages } from './cues/languages.ts';
import { markdown } from './cues/markdown.ts';
import { needsOf } from './cues/needs.ts';
import { roleSpoof } from './cues/role-spoof.ts';
import { raise, type Scores, type Signal, strongest } from './cues/signals.ts';
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

/** Cues for phrases, as opposed to formatting. */
const SAID: readonly Sought[] = [...english, ...languages].map(sought);
const ALL: readonly Sought[] = [...SAID, ...[...indirect, ...roleSpoof, ...markdown].map(sought)];
const ASKED: readonly Signal[] = ['learned', 'override', 'persona', 'exfiltration', 'role_spoof', 'indirect', 'obfuscated', 'encoded'];

/** From this score on, a disguised or encoded phrase counts as found. */
const SURE = 0.5;
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
      yield new Map(strongest(scores, ASKED) >= SURE ? [['encoded', 0.85] as const] : []);
    }
  }
}

/** The score of the strongest cue for each signal. */
function weighed(text: string): Scores {
  const scores = new Map<Signal, number>();
  const covered = hidden(text);
  raise(scores, 'hidden_text', covered.score);
  raise(scores, 'bidi', covered.bidi);
  const said = withoutPolicies(withoutReports(withoutDiscussed(fold(text))));
  raise(scores, 'learned', likenessOf(said));
  const folded = withoutQuestions(said);
  for (const [signal, score] of read(folded, ALL)) raise(scores, signal, score);
  if (strongest(scores, ASKED) >= SURE) return scores;
  if (disguises(folded).some((form) => strongest(read(form, SAID), ASKED) >= SURE)) raise(scores, 'obfuscated', 0.8);
  if (strongest(read(fold(rot13(text)), SAID), ASKED) >= SURE) raise(scores, 'encoded', 0.8);
  return scores;
}

function read(folded: string, cues: readonly Sought[]): Scores {
  const scores = new Map<Signal, number>();
  const grams = new Grams(folded);
  for (const { signal, score, pattern, needs } of cues) {
    if (score > (scores.get(signal) ?? 0) && grams.mayHold(needs) && pattern.test(folded)) raise(scores, signal, score);
  }
  return scores;
}
