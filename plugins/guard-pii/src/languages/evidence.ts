import { CAPITALISED, SMALL, type Token, WORD } from '../names/tokens.ts';
import { hashOf } from '../names/words.ts';
import { LANGUAGES, LATIN, type Language } from './languages.ts';
import { LANGUAGE_WORDS } from './words.generated.ts';

/**
 * What a word says about the language of its text: for each of {@link LANGUAGES}, how much it speaks against that language. In units of half a natural
 * logarithm of a probability.
 */
export type Penalties = Readonly<Uint8Array>;

/** The most that one word may say. */
export const MOST = 8;
/** This many letters of a script without spaces say at most as much as that many words. */
const MAX_LETTERS = 3;

const CYRILLIC = inScript(['ru'], 1);
const KANA = [1, 2, MAX_LETTERS].map((words) => inScript(['ja'], words));
const HAN = [1, 2, MAX_LETTERS].map((words) => inScript(['zh', 'ja'], words));

let known: ReadonlyMap<number, Penalties> | undefined;

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
function evidenceOfBeginning(
  words: ReadonlyMap<number, Penalties>,
  text: string,
  start: number,
  end: number,
): Penalties | undefined {
  for (let at = start + 1; at < end && at < start + LONGEST_BEGINNING; at++)
    if (APOSTROPHES.has(text.charCodeAt(at))) return words.get(hashOf(text.slice(start, at)));
  return undefined;
}
const LONGEST_BEGINNING = 6;
const APOSTROPHES: ReadonlySet<number> = new Set([39, 0x2019]);

function inScript(languages: readonly Language[], words: number): Penalties {
  return Uint8Array.from(LANGUAGES, (language) => (languages.includes(language) ? 0 : words * MOST));
}

function read(): Map<number, Penalties> {
  const words = new Map<number, Penalties>();
  for (const line of LANGUAGE_WORDS.trim().split('\n')) {
    const [digits = '', ...own] = line.trim().split(' ');
    const penalties = Uint8Array.from(LANGUAGES, (_, at) => (at < LATIN.length ? Number(digits.charAt(at)) : MOST));
    for (const word of own) words.set(hashOf(word), penalties);
  }
  return words;
}
