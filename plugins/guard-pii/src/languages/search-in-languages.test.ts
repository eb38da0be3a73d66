import { searchWith } from '@svc/toolkit/masking';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameFinder } from '../name-finder.ts';
import { DEFAULT_LANGUAGES, LANGUAGES, type Language } from './languages.ts';
import { searchInLanguages } from './search-in-languages.ts';

const NAMES = new Set(['PERSON', 'LOCATION']);

const finder = nameFinder(NAMES, 0.4);

/** The names in a text that arrives in these pieces. */
async function namesIn(
  text: string,
  languages: readonly Language[] = DEFAULT_LANGUAGES,
  pieces: readonly string[] = [text],
): Promise<string[]> {
  const search = searchInLanguages(searchWith(finder), languages);
  const names: string[] = [];
  for (const [at, piece] of pieces.entries()) {
    const { certain } = search;
    for (const { start, end } of await search.advance(piece, at === pieces.length - 1)) {
      expect(start).toBeGreaterThanOrEqual(certain);
      names.push(text.slice(start, end));
    }
  }
  return names;
}

async function namesInAny(text: string): Promise<string[]> {
  return (await finder.find(text, 0)).map(({ start, end }) => text.slice(start, end));
}

const FOREIGN: readonly [Language, string][] = [
  ['es', 'una agencia de viajes'],
  ['es', 'Busco una agencia de viajes en Madrid, la de siempre.'],
  ['nl', 'Trekken de kinderen mee?'],
  ['nl', 'Mijn naam is Pieter de Vries en ik woon in Utrecht.'],
  ['fr', "Je m'appelle Thierry d'Aubigné"],
  ['fr', 'Hier, Madame Lefèvre a rencontré Julien Moreau dans le train.'],
  ['zh', '我叫王小明'],
  ['zh', '我的名字是 Peter Smith，我住在北京。'],
  ['ja', '私の名前は Peter Smith です。'],
  ['ru', 'Вчера Иван Петров позвонил Анне.'],
  ['de', 'Gestern hat Herr Schneider mit Anna über die Rechnung gesprochen.'],
  ['it', 'Mi chiamo Giulia Rossi e non ho ancora ricevuto la fattura.'],
  ['pt', 'O meu nome é João Pereira e ainda não recebi a encomenda.'],
  ['pl', 'Nazywam się Anna Kowalska i nie mam jeszcze faktury.'],
  ['de', 'Bis bald, ich bin noch nicht da.\nPeter Schneider'],
];

describe('by default, no names are found', () => {
  test.each(FOREIGN)('in %s: %s', async (_, text) => {
    expect(await namesIn(text)).toEqual([]);
  });

  test.each<[string, string[]]>([
    ["He said: hello.\nJe m'appelle Thierry d'Aubigné, et je suis en retard.", []],
    ['Please translate this for me. Gaan Pieter en Marie morgen ook mee?', []],
    ['Ask Peter Smith about it. Danach hat Anna Schneider noch nicht geantwortet.', ['Peter Smith']],
    ['Das ist nicht so gut. Peter Smith lives in London.', ['Peter Smith', 'London']],
    ['Er sagte: „Das ist nicht so gut.“ Peter Smith lives in London.', ['Peter Smith', 'London']],
    ['(Das ist nicht so gut.) Peter Smith lives in London.', ['Peter Smith', 'London']],
    ['Das ist nicht so gut… Peter Smith lives in London.', ['Peter Smith', 'London']],
    ['这是一个测试。Peter Smith lives in London.', ['Peter Smith', 'London']],
    ['请把这个句子翻译成英文：Peter Smith lives in London.', ['Peter Smith', 'London']],
    ['これはテストですか？Peter Smith lives in London.', ['Peter Smith', 'London']],
    ['我的名字是：Peter Smith', []],
    ['你好 Peter Smith', []],
    ['auch nicht, Peter Smith', []],
    ['auch nicht:\nPeter Smith\nAnna Miller\nMary Jones', []],
    ['Ahir Peter Smith va parlar amb la meva germana sobre el cotxe.', []],
    ['Χθες ο Peter Smith με πήρε τηλέφωνο.', ['Χθες', 'Peter Smith']],
  ])('in the sentence of another language: %j', async (text, names) => {
    expect(await namesIn(text)).toEqual(names);
  });
});

describe('names in English texts are found', () => {
  test.each<[string, string[]]>([
    ['My friend Thierry is from Lyon.', ['Thierry', 'Lyon']],
    ['Ursula von der Leyen met Charles de Gaulle.', ['Ursula von der Leyen', 'Charles de Gaulle']],
    ['We thank Chen Shih-chung (陳時中) for the letter.', ['Chen Shih-chung']],
    ['Dear Иван Петров, thank you for your message.', ['Иван Петров']],
    ['Johanna van der Berg', ['Johanna van der Berg']],
    ['From: Peter Smith\nTo: Anna Miller', ['Peter Smith', 'Anna Miller']],
    ['Peter Smith\nIch bin noch nicht da.', ['Peter Smith']],
    ['From: Peter Smith\r\nIch bin noch nicht da.', ['Peter Smith']],
  ])('%s', async (text, names) => {
    expect(await namesIn(text)).toEqual(names);
  });
});

test.each(FOREIGN)('a listed language is as before: %s, %s', async (language, text) => {
  expect(await namesIn(text, [language])).toEqual(await namesInAny(text));
  expect(await namesIn(text, ['en', language])).toEqual(await namesInAny(text));
});

test('names in a text of an unclear language are found, whatever is listed', async () => {
  for (const language of LANGUAGES)
    expect(await namesIn('Peter Smith, Anna Miller', [language])).toEqual(['Peter Smith', 'Anna Miller']);
});

const word = fc.constantFrom(
  ...[
    'Peter',
    'Anna',
    'Schneider',
    'de',
    'la',
    'van',
    'der',
    'the',
    'and',
    'is',
    'nicht',
    'und',
    "m'appelle",
    'je',
    'una',
    'viajes',
    'mee',
    'XY',
  ],
  ...[
    '王小明',
    '我的',
    '(王)',
    'Иван',
    'позвонил',
    '.',
    '. ',
    '?',
    ':',
    ',',
    '\n',
    ' '.repeat(40),
    'x'.repeat(40),
    '1',
    '/de',
    '=la',
    '。',
    '.”',
    '…',
    'e\u0301',
    '\r\n',
    "d'",
    '😀',
  ],
);
test('the names are the same, whatever the pieces a text comes in', async () => {
  const any = fc.array(word, { maxLength: 60, size: 'max' }).map((words) => words.join(' '));
  const lists = fc.constantFrom<readonly Language[]>(['en'], ['nl', 'de'], ['fr', 'zh']);
  await fc.assert(
    fc.asyncProperty(any, lists, fc.array(fc.nat(9), { minLength: 1, maxLength: 9 }), async (text, languages, lengths) => {
      const pieces: string[] = [];
      for (let at = 0; at < text.length; at += pieces.at(-1)?.length ?? 0)
        pieces.push(text.slice(at, at + 1 + (lengths[pieces.length % lengths.length] ?? 0)));
      expect(await namesIn(text, languages, [...pieces, ''])).toEqual(await namesIn(text, languages));
    }),
    { numRuns: 2000 },
  );
});
