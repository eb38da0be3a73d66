import type { Found, Search } from '@svc/toolkit/masking';
import { type Matcher, PatternError, patternMatcher } from '@svc/toolkit/matching';
import { CONTEXT_REACH, raisedScore, wordsBefore } from './context-words.ts';
import type { OperatorRecogniser } from './options.ts';
import type { Context } from './recognisers/recogniser.ts';

/** Default for the longest match of an unbounded pattern, in code units. */
const MAX_MATCH = 256;

/** A recogniser from the configuration. It uses RE2, so every pattern takes linear time. */
export interface CompiledRecogniser {
  /** Starts a search in a new text. */
  search(): Search;
}

/** @throws {Error} with the key and the error in the pattern */
export function compileRecogniser(written: OperatorRecogniser, index: number, threshold: number): CompiledRecogniser {
  const { entity, pattern, score, context, max_match = MAX_MATCH } = written;
  const words = new Set(context.map((word) => word.trim().toLowerCase().replace(/\s+/g, ' ')));
  try {
    const matcher = patternMatcher(pattern, max_match);
    const scored = { entity_type: entity, score, threshold, context: { for: words } };
    return { search: () => new OperatorSearch(matcher, scored) };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new Error(`recognizers[${index}].pattern (${entity}): ${error.message}`, { cause: error });
  }
}

interface Scored {
  readonly entity_type: string;
  readonly score: number;
  readonly threshold: number;
  readonly context: Context;
}

class OperatorSearch implements Search {
  readonly #search: ReturnType<Matcher['search']>;
  readonly #scored: Scored;
  /** The text, starting as far back as context words may be. */
  #text = '';
  #base = 0;

  constructor(matcher: Matcher, scored: Scored) {
    this.#search = matcher.search();
    this.#scored = scored;
  }

  get certain(): number {
    return this.#search.at;
  }

  advance(text: string, ended: boolean): Found[] {
    this.#text += text;
    const found: Found[] = [];
    for (const span of this.#search.advance(text, ended)) {
      if (span === null) continue;
      const score = this.#weighed(span.start);
      if (score > 0 && score >= this.#scored.threshold) found.push({ entity_type: this.#scored.entity_type, ...span, score });
    }
    const kept = Math.max(this.#base, this.certain - CONTEXT_REACH - 1);
    this.#text = this.#text.slice(kept - this.#base);
    this.#base = kept;
    return found;
  }

  #weighed(start: number): number {
    const { score, context } = this.#scored;
    return raisedScore(score, context, () => wordsBefore(this.#text, start - this.#base));
  }
}
