/** Characters that are drawn like Latin letters: Cyrillic and Greek ones, small and capital. */
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

/** One character may stand for eighteen; a text of such is cut. */
const MAX_GROWTH = 4;

/** Characters that show nothing: soft hyphens, joiners, marks of direction, tags, variation selectors, fillers. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * The form in which texts are compared: compatibility characters as plain ones, small letters, no accents, nothing invisible, and words
 * that mix Latin letters with look-alikes of another alphabet in Latin. Other words keep their alphabet.
 */
export function fold(text: string): string {
  return PLAIN.test(text) ? withFewerSpaces(text.toLowerCase()) : withFewerSpaces(foldedLetters(text));
}

/** Of such a text only the case and the spaces have to be folded. */
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
