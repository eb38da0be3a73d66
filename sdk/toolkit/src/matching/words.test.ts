import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spans } from './spans.ts';
import { wordsMatcher } from './words.ts';

const found = (words: string[], text: string) => spans(wordsMatcher(words), text).map(({ start, end }) => text.slice(start, end));

describe('the words matcher', () => {
  test.each<[string[], string, string[]]>([
    [['wire'], 'Wire, WIRE; wires wired rewire wire_1 wire2', ['Wire', 'WIRE']],
    [['wire'], "wire's (wire) wire-transfer", ['wire', 'wire', 'wire']],
    [['a.b', '$5', '[x]'], 'a.b axb $5 [x]', ['a.b', '$5', '[x]']],
    [['C++', 'C'], 'C++ C C++17 C#', ['C++', 'C', 'C++', 'C']],
    [['wire', 'wire transfer'], 'wire transfer, wire transfers', ['wire transfer', 'wire']],
    [['Wire', 'wire-room'], 'WIRE-ROOM', ['WIRE-ROOM']],
    [['wire transfer'], 'wire  transfer wire\n\ttransfer wiretransfer', ['wire  transfer', 'wire\n\ttransfer']],
    [['  wire   transfer '], 'wire transfer', ['wire transfer']],
    [['wire transfer'], `wire${' '.repeat(9)}transfer`, []],
    [['école', 'ÜBER'], 'École eÉcole über', ['École', 'über']],
    [['café'], 'cafe\u0301 café cafe', ['cafe\u0301', 'café']],
    [['cafe'], 'cafe\u0301', []],
    [['straße'], 'STRAẞE Straße', ['STRAẞE', 'Straße']],
    [['дом'], 'Дом домой', ['Дом']],
    [['机密', 'API'], '这是机密文件，使用API接口', ['机密', 'API']],
    [['サーバー'], 'このサーバーは', ['サーバー']],
    [['😀', 'k'], 'a😀b 😀k', ['😀', '😀', 'k']],
  ])('finds %j in %j', (words, text, matches) => {
    expect(found(words, text)).toEqual(matches);
  });

  test('holds thousands of words that begin alike', () => {
    const words = Array.from({ length: 5000 }, (_, index) => `project phoenix ${index}`);
    expect(found(words, 'Project Phoenix 4999, project phoenix 5000, project phoenix 49')).toEqual([
      'Project Phoenix 4999',
      'project phoenix 49',
    ]);
  });

  test('finds the same words as a slow search with the same rules, in any text', () => {
    const unit = fc.constantFrom('a', 'b', 'A', ' ', '+', '机', '😀', 'é', '1');
    const word = fc.string({ unit, minLength: 1, maxLength: 4 }).filter((text) => text.trim() === text && !text.includes('  '));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.string({ unit, maxLength: 30 }), (words, text) => {
        const places = spans(wordsMatcher(words), text).map(({ start, end }) => [start, end]);
        expect(places).toEqual(slowSearch(words, text));
      }),
    );
  });
});

/** At each offset, the longest word with a boundary on both sides. */
function slowSearch(words: string[], text: string): [number, number][] {
  const spans: [number, number][] = [];
  for (let at = 0; at < text.length; ) {
    const end = Math.max(...words.flatMap((word) => endsOf(word, text, at)), -1);
    if (end < 0) at += 1;
    else {
      spans.push([at, end]);
      at = end;
    }
  }
  return spans;
}

function endsOf(word: string, text: string, at: number): number[] {
  const ends: number[] = [];
  for (let end = at + 1; end <= text.length; end++) {
    const same =
      text
        .slice(at, end)
        .replace(/ {1,8}/g, ' ')
        .toLowerCase() === word.toLowerCase();
    if (same && isBorder(text, at) && isBorder(text, end)) ends.push(end);
  }
  return ends;
}

function isBorder(text: string, at: number): boolean {
  const isLetter = (character: string | undefined): boolean => character !== undefined && 'abA1é'.includes(character);
  return !(isLetter(text[at - 1]) && isLetter(text[at]));
}
