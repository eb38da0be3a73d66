const DIGITS: Readonly<Record<string, string>> = { '0': 'o', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' };

/** Reads digits and signs within words as the letters that they look like. `one`: the letter for 1. */
function unleet(text: string, one: 'i' | 'l'): string {
  return text.replace(/[a-z0-9@$!]{2,40}/g, (word) => {
    if (!/[a-z]/.test(word) || !/[0-9@$!]/.test(word)) return word;
    return word.replace(/!{1,40}$/, '').replace(/[0-9@$!]/g, (sign) => (sign === '1' ? one : (DIGITS[sign] ?? sign)));
  });
}

/**
 * `i g n o r e` and `i-g-n-o-r-e` become `ignore`. Words with no more space between them than between letters become one word.
 */
function unspaced(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}])\p{L}(?:[ ._*-]\p{L}){3,200}(?![\p{L}\p{N}])/gu, (run) => run.replace(/[ ._*-]/g, ''));
}

const KEYWORDS = [
  ...[
    'ignore',
    'disregard',
    'forget',
    'override',
    'bypass',
    'previous',
    'instructions',
    'instruction',
    'system',
    'prompt',
    'reveal',
  ],
  ...['rules', 'guidelines', 'restrictions', 'above', 'prior', 'directives', 'commands', 'print', 'hidden', 'secret'],
];
const BY_LETTERS = new Map(KEYWORDS.map((word) => [lettersOf(word), word]));
/** Sums of letters are cheaper than sorting, and distinguish most words. */
const SUMS = new Set(KEYWORDS.map(sumOf));

/** Identifies a word whose inner letters were shuffled, which people and models can still read. */
function lettersOf(word: string): string {
  return word.charAt(0) + [...word.slice(1)].sort().join('');
}

function sumOf(word: string): number {
  let sum = word.charCodeAt(0) * 10_000;
  for (let at = 1; at < word.length; at += 1) sum += word.charCodeAt(at);
  return sum;
}

function unshuffled(text: string): string {
  return text.replace(/(?<!\p{L})[a-z]{5,14}(?!\p{L})/gu, (word) =>
    SUMS.has(sumOf(word)) ? (BY_LETTERS.get(lettersOf(word)) ?? word) : word,
  );
}

/** Other readings of a folded text; only those that differ from it. */
export function disguises(folded: string): string[] {
  const joined = unspaced(folded);
  const plain = joined.replace(/[_*]/g, ' ');
  const spelled = new Set([plain, unleet(plain, 'i'), unleet(plain, 'l')]);
  const forms = [plain, ...[...spelled].map(unshuffled), [...folded].reverse().join('')];
  return [...new Set(forms)].filter((form) => form !== folded);
}
