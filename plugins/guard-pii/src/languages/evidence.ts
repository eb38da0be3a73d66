import { CAPITALISED, SMALL, type Token, WORD } from '../names/tokens.ts';
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
const MAX_LETTERS = 3;

const CYRILLIC = inScript(['ru'], 1);
const KANA = [1, 2, MAX_LETTERS].map((words) => inScript(['ja'], words));
const HAN = [1, 2, MAX_LETTERS].map((words) => inScript(['zh', 'ja'], words));

let known: WordTable | undefined;

/** What a word says about the language. Undefined if nothing. */
export function evidenceOf(text: string, { kind, start, end, hash, shape }: Token): Penalties | undefined {
  if (kind !== WORD) return undefined;
  if (text.charCodeAt(start) >= FIRST_CYRILLIC) return evidenceOfScript(text, start, end);
  if (shape !== SMALL && shape !== CAPITALISED) return undefined;
  known ??= read();
  return known.get(hash) ?? evidenceOfBeginning(known, text, start, end);
}

/** What the script of a word says. Undefined for scripts that several of the languages use, or none. */
export function evidenceOfScript(text: string, start: number, end: number): Penalties | undefined {
  let han = false;
  for (let at = start; at < end && at < start + MAX_LETTERS; at++) {
    const code = text.charCodeAt(at);
    if (FIRST_CYRILLIC <= code && code <= LAST_CYRILLIC) return CYRILLIC;
    if (FIRST_KANA <= code && code <= LAST_KANA) return KANA[Math.min(end - start, MAX_LETTERS) - 1];
    han ||= FIRST_HAN <= code && code <= LAST_HAN;
  }
  return han ? HAN[Math.min(end - start, MAX_LETTERS) - 1] : undefined;
}
const [FIRST_CYRILLIC, LAST_CYRILLIC] = [0x0400, 0x04ff];
const [FIRST_KANA, LAST_KANA] = [0x3040, 0x30ff];
const [FIRST_HAN, LAST_HAN] = [0x4e00, 0x9fff];

/** In `m'appelle` and `l'anno`, the part before the apostrophe is a word of its own. */
function evidenceOfBeginning(words: WordTable, text: string, start: number, end: number): Penalties | undefined {
  for (let at = start + 1; at < end && at < start + LONGEST_BEGINNING; at++)
    if (isApostrophe(text.charCodeAt(at))) return words.get(hashOf(text.slice(start, at)));
  return undefined;
}
const LONGEST_BEGINNING = 6;

function isApostrophe(code: number): boolean {
  return code === 0x27 || code === 0x2019;
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

/** A map from hashes to penalties. Twice as fast as a `Map`, because it is read for each word around a name. */
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
