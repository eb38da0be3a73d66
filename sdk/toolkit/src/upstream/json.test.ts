import { expect, test } from 'vitest';
import { parseAnswer, parseJson, parseJsonPiece, wellFormed } from './json.ts';

const TEXT = '{"id":12345678901234567890,"half":[0.1234567890123456789],"text":"x"}';

test('an answer and an event keep the digits of their numbers', () => {
  expect(JSON.stringify(parseAnswer(TEXT))).toBe(TEXT);
  expect(JSON.stringify(wellFormed(parseJsonPiece(TEXT)))).toBe(TEXT);
});

test('the digits are kept if a text is repaired', () => {
  expect(JSON.stringify(parseAnswer(TEXT.replace('"x"', '"\\ud83d"')))).toBe(TEXT.replace('"x"', '"\ufffd"'));
});

test('numbers that are read as such are doubles', () => {
  expect(parseJson(TEXT)).toEqual({ id: Number('12345678901234567890'), half: [0.12345678901234568], text: 'x' });
});

test.each(['1', '"x"', '', '{'])('%s is not an answer', (text) => {
  expect(() => parseAnswer(text)).toThrow(expect.objectContaining({ kind: 'malformed' }));
});
