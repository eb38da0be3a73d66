import { BREAK, CAPITALISED, isFixed, SIGN, SMALL, type Token, WORD } from '../names/tokens.ts';
import { PARTICLES } from '../names/words.ts';
import { evidenceOf, evidenceOfScript, type Penalties } from './evidence.ts';
import { LANGUAGES, type Language } from './languages.ts';

/** How many code units before a name are read, and how many after it. */
const BEFORE = 120;
const AFTER = 64;
/** How many tokens after a token matter to it, and how many spaces may be between them: particles, and the word that they belong to. */
const NEXT = 3;
const MAX_GAP = 2;

/** From here on it is clear that a text is in no listed language. No word says as much by itself. */
const CLEARLY_OTHER = 10;
/** From here on it is clear that a text is in a listed language. */
const CLEARLY_LISTED = -6;
/** What previous sentences say counts for a quarter, and at most this, as long as the name's own sentence may decide. */
const MOST_OF_PREVIOUS = 4;
const PREVIOUS = 1 / 4;

const [FULL_STOP, EXCLAMATION, QUESTION, COLON] = [...'.!?:'].map((sign) => sign.charCodeAt(0));
const OPENING: ReadonlySet<number> = new Set([...'(（'].map((sign) => sign.charCodeAt(0)));
const CLOSING: ReadonlySet<number> = new Set([...')）'].map((sign) => sign.charCodeAt(0)));
/** Signs that join words to paths, addresses and identifiers. */
const GLUE: ReadonlySet<number> = new Set([...'@#/\\_&{.=-:'].map((sign) => sign.charCodeAt(0)));

/** Decides in which language a text is around a name. */
export class Languages {
  readonly #isListed: readonly boolean[];
  /** What the name's own sentence says against each language, and what the sentences before it say. */
  readonly #own = new Int32Array(LANGUAGES.length);
  readonly #previous = new Int32Array(LANGUAGES.length);

  constructor(listed: readonly Language[]) {
    this.#isListed = LANGUAGES.map((language) => listed.includes(language));
  }

  /**
   * Whether a name is in a text of a listed language, or of an unclear one. Depends on {@link BEFORE} code units before the name and about
   * {@link AFTER} after it. Undefined if text that follows may decide.
   * @param first the first token that ends after the name's start
   * @param ended whether nothing follows the text
   */
  include(text: string, tokens: readonly Token[], first: number, { start, end }: Place, ended: boolean): boolean | undefined {
    this.#own.fill(0);
    let at = first - 1;
    for (; at >= 0 && (tokens[at]?.start ?? 0) >= start - BEFORE && !endsSentence(tokens, at); at--) {
      // Most words are in a listed language. Only the whole sentence shows another, because a sentence may quote a few words of one.
      if (this.#clearAfter(evidenceAt(text, tokens, at, start), 0) === true) return true;
    }
    const prior = this.#readPrevious(text, tokens, at, start);
    const before = decided(this.#difference(this.#own) + prior);
    if (before !== undefined) return before;
    const after = this.#readAfter(text, tokens, first, end, { start, prior, ended });
    if (after !== 'unclear') return after;
    add(this.#own, this.#previous);
    add(this.#own, evidenceOfScript(text, start, end));
    return decided(this.#difference(this.#own)) ?? true;
  }

  /** Reads on behind the name until the language is clear. Undefined if text that follows may decide. */
  #readAfter(
    text: string,
    tokens: readonly Token[],
    first: number,
    end: number,
    { start, prior, ended }: { start: number; prior: number; ended: boolean },
  ): boolean | 'unclear' | undefined {
    for (let at = first; ; at++) {
      const token = tokens[at];
      if (token === undefined) return ended || text.length >= end + AFTER ? 'unclear' : undefined;
      if (token.start >= end + AFTER) return 'unclear';
      if (!ended && !isKnown(text, tokens, at)) return undefined;
      if (token.start < end) continue;
      const clear = this.#clearAfter(evidenceAt(text, tokens, at, start), prior);
      if (clear !== undefined) return clear;
      if (endsSentence(tokens, at)) return 'unclear';
    }
  }

  /** Adds what a word of the name's sentence says. Whether the text is clearly in a listed language then, undefined if it is not clear. */
  #clearAfter(evidence: Penalties | undefined, prior: number): boolean | undefined {
    if (evidence === undefined) return undefined;
    add(this.#own, evidence);
    return decided(this.#difference(this.#own) + prior);
  }

  /** Reads the sentences before the name's own. Returns what they say as long as that one may decide. */
  #readPrevious(text: string, tokens: readonly Token[], last: number, start: number): number {
    this.#previous.fill(0);
    for (let at = last; at >= 0 && (tokens[at]?.start ?? 0) >= start - BEFORE; at--)
      add(this.#previous, evidenceAt(text, tokens, at, start));
    return Math.max(-MOST_OF_PREVIOUS, Math.min(MOST_OF_PREVIOUS, this.#difference(this.#previous) * PREVIOUS));
  }

  /** By how much the likeliest listed language is less likely than the likeliest other one. */
  #difference(against: Int32Array): number {
    let listed = Infinity;
    let other = Infinity;
    for (let at = 0; at < against.length; at++) {
      const sum = against[at] ?? 0;
      if (this.#isListed[at]) listed = Math.min(listed, sum);
      else other = Math.min(other, sum);
    }
    return listed - other;
  }
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function add(sums: Int32Array, more: ArrayLike<number> | undefined): void {
  if (more === undefined) return;
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + (more[at] ?? 0);
}

function decided(difference: number): boolean | undefined {
  if (difference >= CLEARLY_OTHER) return false;
  return difference <= CLEARLY_LISTED ? true : undefined;
}

/** Whether text that follows cannot change what the token says. */
function isKnown(text: string, tokens: readonly Token[], at: number): boolean {
  for (let next = at; next <= at + NEXT; next++) {
    const token = tokens[next];
    if (token === undefined) return text.length >= (tokens[next - 1]?.end ?? 0) + MAX_GAP + 1;
    if (!isFixed(text, token)) return false;
    if (next > at && token.kind !== WORD) return true;
  }
  return true;
}

/** A capital letter says nothing, except at the start of a sentence, and neither does a particle that may belong to a name: `van der Berg`. */
function evidenceAt(text: string, tokens: readonly Token[], at: number, start: number): Penalties | undefined {
  const token = tokens[at];
  const evidence = token === undefined ? undefined : evidenceOf(text, token);
  if (token === undefined || evidence === undefined || isGlued(tokens, at) || isGloss(tokens, at)) return undefined;
  if (token.shape === CAPITALISED && !(at === 0 || endsSentence(tokens, at - 1))) return undefined;
  if (token.shape === SMALL && PARTICLES.has(token.hash) && isBeforeCapital(tokens, at, start)) return undefined;
  return evidence;
}

function isBeforeCapital(tokens: readonly Token[], at: number, start: number): boolean {
  for (let next = at + 1; next <= at + NEXT; next++) {
    const token = tokens[next];
    if (token === undefined || token.kind !== WORD || token.gap === 0 || token.gap > MAX_GAP) return false;
    if (token.start === start || token.shape !== SMALL) return true;
    if (!PARTICLES.has(token.hash)) return false;
  }
  return false;
}

function isGlued(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  return before !== undefined && before.kind === SIGN && tokens[at]?.gap === 0 && GLUE.has(before.hash);
}

/** Whether the word is alone in brackets, as the original form of a name is: `Chen Shih-chung (陳時中)`. */
function isGloss(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  const after = tokens[at + 1];
  return before?.kind === SIGN && OPENING.has(before.hash) && after?.kind === SIGN && CLOSING.has(after.hash);
}

/** Whether a sentence ends with the token: a line break, or a sign before a space. */
function endsSentence(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token === undefined || token.kind === BREAK) return true;
  if (token.kind !== SIGN) return false;
  const { hash } = token;
  if (hash !== FULL_STOP && hash !== EXCLAMATION && hash !== QUESTION && hash !== COLON) return false;
  const next = tokens[at + 1];
  return next === undefined || next.kind === BREAK || next.gap > 0;
}
