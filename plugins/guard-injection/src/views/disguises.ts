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
function unspelled(text: string): string {
  return text.replace(SPELLED, (run) => {
    const between = run.split(/[\p{L}\p{N}]/u).slice(1, -1);
    const counts = new Map<string, number>();
    for (const each of between) counts.set(each, (counts.get(each) ?? 0) + 1);
    const [[usual] = ['']] = [...counts].sort(([, a], [, b]) => b - a);
    return ` ${run.replace(/[^\p{L}\p{N}]{1,6}/gu, (each) => (each === usual ? '' : boundaryOf(each, usual.trim())))} `.replace(/ {2,}/g, ' ');
  });
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
  const forms = [unleet(word, 'i'), unleet(word, 'l'), unleet(trimmed, 'i'), unleet(trimmed, 'l')].filter((form) => /^[a-z]{1,2000}$/.test(form));
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

/** Fewer repaired words are chance: every text has a name or a typing error. */
const MIN_REPAIRS = 2;

/** Replaces disguised, misspelt and joined words by the common words that they may stand for. The same text if there are few. */
function withRepairs(text: string): string {
  let repairs = 0;
  const result = text.replace(/[a-z0-9@$!|+€(£¥]{1,2000}/g, (word) => {
    const found = repaired(word);
    if (found === undefined) return word;
    repairs += found.includes(' ') ? MIN_REPAIRS : 1;
    return found;
  });
  return repairs < MIN_REPAIRS ? text : result;
}

/** Other readings of a folded text; only those that differ from it. */
export function disguises(folded: string): string[] {
  const joined = unspelled(folded).replace(/(?<=[\p{L}\p{N}])[-_*.~+|/](?=[\p{L}\p{N}])|[_*]/gu, ' ');
  const forms = [joined, withRepairs(joined), [...folded].reverse().join('')];
  return [...new Set(forms)].filter((form) => form !== folded);
}
