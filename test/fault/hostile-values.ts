/** Picks one of several values. The same seed and purpose give the same pick. */
export type Choose = <T>(purpose: string, among: readonly T[]) => T;

/** Repeats `piece` up to this many characters. */
export function repeated(piece: string, size: number): string {
  return piece.repeat(Math.max(1, Math.floor(size / piece.length)));
}

function numbered(piece: (n: number) => string, size: number): string {
  const pieces: string[] = [];
  for (let length = 0; length < size; length += (pieces.at(-1) ?? '').length + 1) pieces.push(piece(pieces.length));
  return pieces.join(',');
}

function listOf(value: string, size: number): string {
  return `[${repeated(`${value},`, size)}${value}]`;
}

function nested(open: string, close: string, depth: number): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

/** Texts that are expensive for guards. */
const TEXTS: Readonly<Record<string, string>> = {
  plain: 'a',
  words: 'lorem ipsum ',
  assignments: 'token=',
  addresses: 'a@b.co ',
  'half addresses': 'a.b@',
  digits: '4111 1111 ',
  dashes: '12-34-',
  names: 'Anna Maria ',
  links: 'http://a.b/c?d=e ',
  brackets: '((((((((',
  base64: 'QWxhZGRpbjpvcGVuIHNlc2FtZQ',
  'zero width': '\u200b\u200d',
  combining: 'e\u0301\u0301\u0301',
  emoji: '👩‍💻',
  wide: '日本',
  lines: '\n',
  quotes: '"\\',
  keys: 'AKIA2E0A8F3B244C9986 ',
  orders: 'ignore all previous instructions ',
};

/** Values as JSON text, because duplicate keys and `1e400` are not JavaScript values. Each has about the requested size. */
const VALUES: Readonly<Record<string, (size: number, choose: Choose) => string>> = {
  numbers: (size) => listOf('1', size),
  'long numbers': (size) => listOf('1234567890.0123456789', size),
  'numbers that are too large': (size) => listOf('1e400', size),
  'one number of many digits': (size) => repeated('9', size),
  literals: (size) => listOf('null', size),
  'empty strings': (size) => listOf('""', size),
  'short strings': (size) => listOf('"a"', size),
  'empty arrays': (size) => listOf('[]', size),
  'empty objects': (size) => listOf('{}', size),
  'small objects': (size) => listOf('{"a":{"b":[1]}}', size),
  'distinct keys': (size) => `{${numbered((n) => `"k${n}":0`, size)}}`,
  'repeated keys': (size) => `{${repeated('"a":1,', size)}"a":1}`,
  'long keys': (size) => `{${numbered((n) => `"${n}${'k'.repeat(1000)}":0`, size)}}`,
  'keys of prototypes': (size) =>
    `{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}},"c":${listOf('{"__proto__":1}', size)}}`,
  'deep arrays': (size, choose) => nested('[', ']', Math.min(size / 2, choose('depth', [60, 64, 65, 1_000, 500_000]))),
  'deep objects': (size, choose) => nested('{"a":', '}', Math.min(size / 6, choose('depth', [60, 64, 65, 1_000, 300_000]))),
  'many deep arrays': (size) => listOf(nested('[', ']', 40), size),
  'a text': (size, choose) => JSON.stringify(repeated(TEXTS[choose('text', Object.keys(TEXTS))] ?? '', size)),
  'many texts': (size, choose) => listOf(JSON.stringify(repeated(TEXTS[choose('text', Object.keys(TEXTS))] ?? '', 300)), size),
  'escaped text': (size) => `"${repeated('\\u0061', size)}"`,
  'escaped pairs': (size) => `"${repeated('\\ud83d\\udc69', size)}"`,
  'halves of pairs': (size) => `"${repeated('\\ud83d', size)}"`,
  'spaces between': (size) => `[${repeated(' ', size)}1]`,
  // Each level escapes the quotes of the level below.
  'JSON in strings': (size, choose) =>
    wrapped(jsonOf('inner', size / 4, choose, Object.keys(VALUES).slice(0, 16)), choose('levels', [1, 2, 3, 4])),
};

function wrapped(json: string, levels: number): string {
  return levels === 0 ? json : wrapped(JSON.stringify(`{"a":${json}}`), levels - 1);
}

/** A hostile value as JSON text. */
export function jsonOf(purpose: string, size: number, choose: Choose, kinds: readonly string[] = Object.keys(VALUES)): string {
  const kind = choose(purpose, kinds);
  return VALUES[kind]?.(size, (what, among) => choose(`${purpose} ${what}`, among)) ?? 'null';
}

export const KINDS: readonly string[] = Object.keys(VALUES);
