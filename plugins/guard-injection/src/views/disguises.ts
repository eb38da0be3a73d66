import { corrected, isKnown, segmented, undoubled } from './vocabulary.ts';

const SIGNS: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '2': 'z', '3': 'e', '4': 'a', '5': 's', '6': 'g', '7': 't', '8': 'b', '9': 'g' },
  ...{ '@': 'a', $: 's', '!': 'i', '|': 'l', '+': 't', '€': 'e', '(': 'c', '£': 'l', '¥': 'y' },
};

/** Reads digits and signs within words as the letters that they look like. `one`: the letter for 1. */
function unleet(word: string, one: 'i' | 'l'): string {
  return word.replace(/[^a-z]/g, (sign) => (sign === '1' || (sign === '!' && one === 'l') ? one : (SIGNS[sign] ?? sign)));
}

/** Single letters with something else between them, such as `i g n o r e` and `i.g.n.o.r.e`. */
const SPELLED = /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[^\p{L}\p{N}]{1,6}[\p{L}\p{N}](?![\p{L}\p{N}])){5,2000}/gu;

/**
 * Puts spelled words together. What stands between most letters separates letters, and anything else separates words. If nothing
 * else does, all become one word.
 */
function unspelled(run: string): string {
  const between = run.split(/[\p{L}\p{N}]/u).slice(1, -1);
  const counts = new Map<string, number>();
  for (const each of between) counts.set(each, (counts.get(each) ?? 0) + 1);
  const [[usual] = ['']] = [...counts].sort(([, a], [, b]) => b - a);
  const words = run.replace(/[^\p{L}\p{N}]{1,6}/gu, (each) => (each === usual ? '' : boundaryOf(each, usual.trim())));
  return ` ${words} `.replace(/ {2,}/g, ' ');
}

/** What remains between two words, or between two letters of a word with an apostrophe. */
function boundaryOf(between: string, usual: string): string {
  if (between.includes("'")) return "'";
  return ` ${(usual === '' ? between : between.replaceAll(usual, ' ')).trim()} `;
}

/** From this length on, a word may be several without spaces. */
const MIN_SEGMENTED = 8;

/** The common words that this one may stand for, or at least its letters; undefined if there is nothing to repair. */
function repaired(word: string): string | undefined {
  if (isKnown(word) || /^[0-9+(]{1,2000}$/.test(word)) return undefined;
  if (word.length < 2) return word === '@' ? 'a' : undefined;
  if (/^[a-z]{1,2000}$/.test(word)) return ofLetters(word) ?? halved(word);
  const trimmed = word.replace(/!{1,40}$/, '');
  const read = new Set([unleet(word, 'i'), unleet(word, 'l'), unleet(trimmed, 'i'), unleet(trimmed, 'l')]);
  const forms = [...read].filter((form) => /^[a-z]{1,2000}$/.test(form));
  const known = forms.find(isKnown);
  if (known !== undefined) return known;
  for (const form of forms) {
    const found = ofLetters(form);
    if (found !== undefined) return found;
  }
  return /[a-z]/.test(word) ? forms[0] : undefined;
}

/** Longer words are no single word. */
const MAX_WORD = 40;

function ofLetters(word: string): string | undefined {
  const half = halved(word);
  if (half !== undefined && isKnown(half)) return half;
  const single = word.length <= MAX_WORD ? (undoubled(word) ?? corrected(word)) : undefined;
  return single ?? (word.length >= MIN_SEGMENTED ? segmented(word) : undefined);
}

/** Each letter once, if each is written twice. */
function halved(word: string): string | undefined {
  if (word.length % 2 !== 0) return undefined;
  for (let at = 0; at < word.length; at += 2) if (word[at] !== word[at + 1]) return undefined;
  return word.replace(/(.)./g, '$1');
}

/** Words in a part of a text that is repaired on its own. */
const PART = 12;
/** So many words in a row that are not English may be English ones backwards, or with other letters. */
const STRANGE_RUN = 4;

const WORD = /[a-z0-9@$!|+€(£¥]{1,2000}|\p{L}{1,2000}/gu;
/** A letter beside a digit or a sign that looks like one. */
const LEET = /[a-z][0-9@$!|+]{1,40}[a-z]|^[0-9@$!|+]{1,3}[a-z]|[a-z][@$|]/;

/** A stretch of a text. */
interface Part {
  readonly start: number;
  readonly end: number;
  /** Whether many of its words may be disguised. */
  readonly strange: boolean;
}

/** The parts of a text, and whether one has many words in a row that are not English. */
function partsOf(text: string): { readonly parts: readonly Part[]; readonly foreign: boolean } {
  const parts: Part[] = [];
  let foreign = false;
  let [start, words, unknown, leet, run] = [0, 0, 0, 0, 0];
  const close = (end: number): void => {
    parts.push({ start, end, strange: leet > 1 || (unknown > 1 && unknown * 3 >= words) || (unknown === 1 && words <= 3) });
    [start, words, unknown, leet] = [end, 0, 0, 0];
  };
  for (const { 0: word, index } of text.matchAll(WORD)) {
    words += 1;
    if (isKnown(word)) run = 0;
    else if (/^\d/.test(word) && !/[a-z]/.test(word)) words -= 1;
    else {
      unknown += 1;
      run += 1;
      if (run >= STRANGE_RUN) foreign = true;
      if (LEET.test(word)) leet += 1;
      if (word.length > MAX_WORD) unknown += 1;
    }
    if (words >= PART) close(index + word.length);
  }
  close(text.length);
  return { parts, foreign };
}

/** The text of a part with its disguised, misspelt and joined words as common words, and how many there are. */
function withRepairs(text: string): { readonly text: string; readonly repairs: number } {
  let repairs = 0;
  const result = text.replace(WORD, (word) => {
    const found = repaired(word);
    if (found === undefined) return word;
    repairs += found.includes(' ') ? 2 : 1;
    return found;
  });
  return { text: result, repairs };
}

/** The parts of a text with several repaired words or with words that were put together, and their neighbours. */
function suspicious(text: string, parts: readonly Part[], places: readonly number[]): string {
  const kept = new Map<number, string>();
  let next = 0;
  parts.forEach(({ start, end, strange }, at) => {
    const own = text.slice(start, end);
    let put = false;
    for (; (places[next] ?? Infinity) < end; next += 1) put = true;
    const { text: result, repairs } = strange || put ? withRepairs(own) : { text: own, repairs: 0 };
    if (put || repairs > 1 || (repairs === 1 && parts.length === 1)) kept.set(at, result);
  });
  let form = '';
  parts.forEach(({ start, end }, at) => {
    const own = kept.get(at) ?? (kept.has(at - 1) || kept.has(at + 1) ? text.slice(start, end) : undefined);
    form += own ?? (form === '' || form.endsWith('…') ? '' : ' …');
  });
  return form;
}

/** `ignore-all-rules` and `ignore_all_rules`; two words are an ordinary compound. */
const JOINED = /(?<![\p{L}\p{N}])[\p{L}\p{N}@$!]{1,40}(?:[-_.*~+|/][\p{L}\p{N}@$!]{1,40}){3,200}/gu;

/** The text with words put together that were spelled, and words separated that were joined; and where. */
function respaced(folded: string): { readonly text: string; readonly places: readonly number[] } {
  const places: number[] = [];
  let grown = 0;
  const note = (run: string, at: number, result: string): string => {
    places.push(at + grown);
    grown += result.length - run.length;
    return result;
  };
  const text = folded.replace(SPELLED, (run: string, at: number) => note(run, at, unspelled(run)));
  if (places.length > 0) return { text, places };
  return { text: folded.replace(JOINED, (run: string, at: number) => note(run, at, run.replace(/[-_.*~+|/]/g, ' '))), places };
}

/** Other readings of the parts of a folded text that may be disguised. */
export function disguises(folded: string): { readonly forms: readonly string[]; readonly foreign: boolean } {
  const { text, places } = respaced(folded);
  const { parts, foreign } = partsOf(text);
  const forms = [suspicious(text, parts, places)];
  if (foreign) forms.push([...folded].reverse().join(''));
  return { forms: forms.filter((form) => form !== '' && form !== folded), foreign };
}
