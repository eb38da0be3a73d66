/** Cyrillic and Greek characters that look like Latin letters, lower and upper case. */
const LOOK_ALIKES = new Map(
  [
    ['аɑα', 'a'],
    ['вβ', 'b'],
    ['сϲ', 'c'],
    ['ԁ', 'd'],
    ['еєε', 'e'],
    ['ɡ', 'g'],
    ['һн', 'h'],
    ['іιı', 'i'],
    ['ј', 'j'],
    ['кκ', 'k'],
    ['ӏⅼ', 'l'],
    ['мμ', 'm'],
    ['ո', 'n'],
    ['оοσօ', 'o'],
    ['рρ', 'p'],
    ['ԛ', 'q'],
    ['г', 'r'],
    ['ѕ', 's'],
    ['тτ', 't'],
    ['υս', 'u'],
    ['ѵν', 'v'],
    ['ѡω', 'w'],
    ['хχ', 'x'],
    ['уγ', 'y'],
  ].flatMap(([alike = '', latin = '']) => [...alike].map((character) => [character, latin] as const)),
);

const LIGATURES: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['ł', 'l'],
  ['ø', 'o'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['đ', 'd'],
  ['ı', 'i'],
]);

/** One character may expand to eighteen; a text that grows more than this is truncated. */
const MAX_GROWTH = 4;

/** Invisible characters: soft hyphens, joiners, direction marks, tags, variation selectors, fillers. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * The form in which texts are compared: lower case, compatibility characters as plain ones, no accents, no invisible characters.
 * Words that mix Latin letters with look-alikes become Latin; other words keep their alphabet.
 */
export function fold(text: string): string {
  return PLAIN.test(text) ? withFewerSpaces(text.toLowerCase()) : withFewerSpaces(foldedLetters(text));
}

/** Plain ASCII needs only lower case and fewer spaces. */
const PLAIN = /^[\0-\x7f]*$/;

function withFewerSpaces(text: string): string {
  return text.replace(/[^\S\n]{2,}/gu, (spaces) => (spaces.length > 3 ? '   ' : spaces));
}

function foldedLetters(text: string): string {
  return text
    .normalize('NFKC')
    .slice(0, MAX_GROWTH * text.length)
    .replace(INVISIBLE, '')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/gu, '')
    .normalize('NFC')
    .replace(/[ßłøæœđı]/gu, (character) => LIGATURES.get(character) ?? character)
    .replace(/[‘’ʼ]/gu, "'")
    .replace(/[^\p{L}]?\p{L}+/gu, latinIfMixed);
}

function latinIfMixed(word: string): string {
  if (!/[a-z]/.test(word) || !/[^\0-\u{24f}]/u.test(word)) return word;
  return [...word].map((character) => LOOK_ALIKES.get(character) ?? character).join('');
}
