import { characterClass, DIGIT, LOWER, lowered, MARK, NEWLINE, OTHER_LETTER, SPACE, UPPER } from '../names/characters.ts';
import { FIRST_HASH, HASH_FACTOR } from '../names/hash.ts';
import { MAX_PARTICLES } from '../names/tags.ts';
import { PARTICLES, TITLES } from '../names/words.ts';
import { Changes } from './changes.ts';
import { evidenceOfScript, evidenceOfWord, FIRST_IN_SCRIPT, MAX_LETTERS, type Penalties } from './evidence.ts';
import { LanguageOdds } from './language-odds.ts';
import type { Language } from './languages.ts';

/** At most this much stays from previous sentences in a listed language, so that two words of another show it. */
const MOST_OF_LISTED = 5;
/** And from sentences in another language: more than a word of a listed language may say. */
const MOST_OF_OTHER = 9;

const [SMALL_A, SMALL_Z] = [0x61, 0x7a];
const code = (sign: string): number => sign.charCodeAt(0);
const setOf = (signs: string): ReadonlySet<number> => new Set([...signs].map(code));
const [HYPHEN, APOSTROPHE] = [code('-'), code("'")];
const APOSTROPHES = setOf("'’");
const HYPHENS = setOf('-\u2010\u2011');
/** Signs that end a sentence before a space and a word that does not begin with a small letter. */
const ENDS = setOf('.!?:…');
/** Signs that end a sentence, whatever follows. */
const FULL_WIDTH_ENDS = setOf('。！？：');
/** Signs that may stand between the end of a sentence and the space. */
const CLOSING_SENTENCE = setOf('"\'”“’‘»«)');
const OPENING = setOf('(（');
const CLOSING = setOf(')）');
/** Signs that join words to paths, addresses and identifiers, before a word and after it. */
const GLUE_BEFORE = setOf('@#/\\_&{=.-:');
const GLUE_AFTER = setOf('@#/\\_&{=');

/**
 * Reads the language of a text, each character once. What is known at an offset depends only on the text before it. Words count in small letters, or at
 * the start of a sentence, because names and titles keep their spelling in other languages.
 */
export class LanguageReader {
  readonly changes = new Changes();
  readonly #odds: LanguageOdds;
  #length = 0;

  /** The code unit before this one. */
  #before = 0;
  #beginsSentence = true;
  /** Whether the signs before this one end a sentence if a space follows. */
  #isAfterEnd = false;
  /** Whether a sentence ended if the next word does not begin with a small letter. */
  #mayEnd = false;

  #isInWord = false;
  #hash = FIRST_HASH;
  /** In `m'appelle` and `l'anno`, the part before the apostrophe is a word of its own. */
  #beginning = 0;
  #letters: number[] = [];
  /** A hyphen or an apostrophe, which belongs to the word if a letter follows. */
  #joint = 0;
  /** Whether the word may show the language, by its form and what is before it. */
  #counts = false;
  #isAfterBracket = false;

  /** Words that do not count if what follows shows that they belong to a name: `van der Berg`, `Chen Shih-chung (陳時中)`. */
  #held: Penalties[] = [];
  #isHeldInBracket = false;

  constructor(listed: readonly Language[]) {
    this.#odds = new LanguageOdds(listed);
  }

  /** The number of code units that were read. */
  get length(): number {
    return this.#length;
  }

  take(text: string): void {
    for (let at = 0; at < text.length; ) {
      const end = this.#isInWord && this.#joint === 0 ? this.#addSmallLetters(text, at) : at;
      this.#length += end - at;
      if (end === text.length) return;
      this.#read(text.charCodeAt(end));
      this.#length += 1;
      at = end + 1;
    }
  }

  /** Ends the text. */
  end(): void {
    if (this.#isInWord) this.#endWord(0);
    this.#count();
  }

  #read(unit: number): void {
    const kind = characterClass(unit);
    if (kind === LOWER || kind === UPPER || kind === OTHER_LETTER) {
      if (!this.#isInWord) this.#beginWord(kind);
      this.#addLetter(unit, kind);
    } else if (this.#isInWord && kind === MARK) {
      this.#hash = hashed(this.#hash, unit);
    } else if (this.#isInWord && this.#joint === 0 && (HYPHENS.has(unit) || APOSTROPHES.has(unit))) {
      this.#joint = unit;
    } else {
      if (this.#isInWord) this.#endWord(this.#joint === 0 ? unit : this.#joint);
      this.#readSign(unit, kind);
    }
    this.#before = unit;
  }

  #readSign(unit: number, kind: number): void {
    if (kind === NEWLINE || FULL_WIDTH_ENDS.has(unit)) this.#endSentence();
    else if (kind === SPACE) this.#mayEnd ||= this.#isAfterEnd && !TITLES.has(this.#hash);
    else if (kind === DIGIT) this.#continueSentence();
    else if (this.#isHeldInBracket && CLOSING.has(unit)) this.#forget();
    else this.#count();
    this.#isAfterEnd = ENDS.has(unit) || (this.#isAfterEnd && CLOSING_SENTENCE.has(unit));
  }

  /** `on Dec. 12`, `12 Rue`: a number neither begins a sentence nor shows that one ended. */
  #continueSentence(): void {
    this.#count();
    this.#mayEnd = false;
    this.#beginsSentence = false;
  }

  #beginWord(kind: number): void {
    if (this.#mayEnd && kind !== LOWER) this.#endSentence();
    this.#mayEnd = false;
    this.#isAfterEnd = false;
    if (kind === UPPER && !this.#isHeldInBracket) this.#forget();
    this.#isInWord = true;
    this.#isAfterBracket = OPENING.has(this.#before);
    this.#counts =
      (kind !== UPPER || this.#beginsSentence) && !GLUE_BEFORE.has(this.#before) && characterClass(this.#before) !== DIGIT;
    this.#beginsSentence = false;
    this.#hash = FIRST_HASH;
    this.#beginning = 0;
    if (this.#letters.length > 0) this.#letters = [];
    this.#joint = 0;
  }

  #addLetter(unit: number, kind: number): void {
    if (this.#joint !== 0) {
      const isHyphen = HYPHENS.has(this.#joint);
      // In `d'Aubigné`, it belongs to the name.
      if (!isHyphen && this.#beginning === 0 && kind !== UPPER) this.#beginning = this.#hash;
      this.#hash = hashed(this.#hash, isHyphen ? HYPHEN : APOSTROPHE);
      this.#joint = 0;
    }
    if (kind === UPPER && this.#hash !== FIRST_HASH) this.#counts = false;
    if (unit >= FIRST_IN_SCRIPT && this.#letters.length < MAX_LETTERS) this.#letters.push(unit);
    this.#hash = hashed(this.#hash, unit);
  }

  /** Adds the letters a to z that continue the word, which is most of a text. Returns where they end. */
  #addSmallLetters(text: string, from: number): number {
    let hash = this.#hash;
    let at = from;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < SMALL_A || unit > SMALL_Z) break;
      hash = Math.imul(hash ^ unit, HASH_FACTOR);
    }
    if (at > from) this.#before = SMALL_A;
    this.#hash = hash;
    return at;
  }

  /** @param next the code unit after the word */
  #endWord(next: number): void {
    this.#isInWord = false;
    const isParticle = PARTICLES.has(this.#hash);
    if (!isParticle) this.#count();
    if (!this.#counts || GLUE_AFTER.has(next) || characterClass(next) === DIGIT) return;
    const evidence =
      (this.#letters.length > 0 ? evidenceOfScript(this.#letters) : undefined) ??
      evidenceOfWord(this.#hash) ??
      (this.#beginning === 0 ? undefined : evidenceOfWord(this.#beginning));
    if (evidence === undefined) return;
    this.#held.push(evidence);
    this.#isHeldInBracket = this.#isAfterBracket;
    if (this.#held.length > MAX_PARTICLES || !(isParticle || this.#isHeldInBracket)) this.#count();
  }

  #endSentence(): void {
    this.#count();
    this.#mayEnd = false;
    if (this.#beginsSentence) return;
    this.#beginsSentence = true;
    this.#odds.limit(this.#odds.difference <= 0 ? MOST_OF_LISTED : MOST_OF_OTHER);
    this.changes.add(this.#length, this.#odds.difference, true);
  }

  #count(): void {
    if (this.#held.length === 0) return;
    for (const penalties of this.#held) this.#odds.add(penalties);
    this.#forget();
    this.changes.add(this.#length, this.#odds.difference, false);
  }

  #forget(): void {
    if (this.#held.length > 0) this.#held = [];
    this.#isHeldInBracket = false;
  }
}

function hashed(hash: number, unit: number): number {
  return Math.imul(hash ^ lowered(unit), HASH_FACTOR);
}
