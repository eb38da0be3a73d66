import { hashOf } from '../names/words.ts';
import { LANGUAGES, LATIN, type Language } from './languages.ts';
import { LANGUAGE_WORDS } from './words.generated.ts';

/**
 * What a word says about the language of its text: for each of {@link LANGUAGES}, how much it speaks against that language. In units of half a natural
 * logarithm of a probability.
 */
export type Penalties = Readonly<Uint8Array>;

/** More than twice the number of words. A power of two. */
const TABLE_SIZE = 1 << 15;

/** The most that one word may say. */
const MOST = 8;
/** This many letters of a script without spaces say at most as much as that many words. */
export const MAX_LETTERS = 3;

const CYRILLIC = inScript(['ru'], 1);
const KANA = [1, 2, MAX_LETTERS].map((words) => inScript(['ja'], words));
const HAN = [1, 2, MAX_LETTERS].map((words) => inScript(['zh', 'ja'], words));
/** The first of them. Letters before it say nothing. */
export const FIRST_IN_SCRIPT = 0x0400;
const [FIRST_CYRILLIC, LAST_CYRILLIC] = [FIRST_IN_SCRIPT, 0x04ff];
const [FIRST_KANA, LAST_KANA] = [0x3040, 0x30ff];
const [FIRST_HAN, LAST_HAN] = [0x4e00, 0x9fff];

let known: WordTable | undefined;

/** What a word says, by its hash. Undefined if nothing. */
export function evidenceOfWord(hash: number): Penalties | undefined {
  known ??= read();
  return known.get(hash);
}

/**
 * What the script of a word says. Undefined for scripts that several of the languages use, or none.
 * @param codes the first letters of the word from {@link FIRST_IN_SCRIPT} on, at least one and at most {@link MAX_LETTERS}
 */
export function evidenceOfScript(codes: readonly number[]): Penalties | undefined {
  const words = codes.length - 1;
  if (codes.some((code) => FIRST_CYRILLIC <= code && code <= LAST_CYRILLIC)) return CYRILLIC;
  if (codes.some((code) => FIRST_KANA <= code && code <= LAST_KANA)) return KANA[words];
  return codes.some((code) => FIRST_HAN <= code && code <= LAST_HAN) ? HAN[words] : undefined;
}

function inScript(languages: readonly Language[], words: number): Penalties {
  return Uint8Array.from(LANGUAGES, (language) => (languages.includes(language) ? 0 : words * MOST));
}

function read(): WordTable {
  const words = new WordTable();
  for (const line of LANGUAGE_WORDS.trim().split('\n')) {
    const [digits = '', ...own] = line.trim().split(' ');
    const penalties = Uint8Array.from(LANGUAGES, (_, at) => (at < LATIN.length ? Number(digits.charAt(at)) : MOST));
    for (const word of own) words.set(hashOf(word), penalties);
  }
  return words;
}

/** A map from hashes to penalties. Twice as fast as a `Map`, because it is read for each word. */
class WordTable {
  readonly #hashes = new Int32Array(TABLE_SIZE);
  /** Indexes of penalties, from 1. 0 is a free place. */
  readonly #indexes = new Uint16Array(TABLE_SIZE);
  readonly #penalties: Penalties[] = [];

  set(hash: number, penalties: Penalties): void {
    if (this.#penalties.at(-1) !== penalties) this.#penalties.push(penalties);
    const place = this.#placeOf(hash);
    this.#hashes[place] = hash;
    this.#indexes[place] = this.#penalties.length;
  }

  get(hash: number): Penalties | undefined {
    return this.#penalties[(this.#indexes[this.#placeOf(hash)] ?? 0) - 1];
  }

  #placeOf(hash: number): number {
    let place = (hash ^ (hash >>> 15)) & (TABLE_SIZE - 1);
    while (this.#indexes[place] !== 0 && this.#hashes[place] !== hash) place = (place + 1) & (TABLE_SIZE - 1);
    return place;
  }
}
