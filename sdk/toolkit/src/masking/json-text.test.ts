import { expect, test } from 'vitest';
import { LineEscapes } from './json-text.ts';

const VALUE = '-----BEGIN\nab\tc\n-----END';

/** Puts a value into a JSON text of this depth, in place of a mark. */
function nested(depth: number, mark: string): string {
  let text = `key: ${mark}, "quoted"`;
  for (let n = 0; n < depth; n++) text = JSON.stringify({ a: [1, text], b: 'other' });
  return text;
}

test.each([0, 1, 2, 3])('a value of several lines stays valid in JSON of depth %i', (depth) => {
  const text = nested(depth, '<X_1>');
  const at = text.indexOf('<X_1>');
  const written = text.slice(0, at) + new LineEscapes(text).at(at, VALUE) + text.slice(at + 5);
  let read: unknown = written;
  for (let n = 0; n < depth; n++) read = (JSON.parse(String(read)) as { a: unknown[] }).a[1];
  expect(read).toBe(`key: ${VALUE}, "quoted"`);
});

test('a value that is escaped already, or is outside a string, stays as it is', () => {
  const text = nested(1, '<X_1>');
  expect(new LineEscapes(text).at(text.indexOf('<X_1>'), 'a\\nb')).toBe('a\\nb');
  expect(new LineEscapes('{not json <X_1>').at(10, VALUE)).toBe(VALUE);
  expect(new LineEscapes('{"a": 1} ').at(8, VALUE)).toBe(VALUE);
});

test('very many of them are not written', () => {
  const escapes = new LineEscapes('{"a":"x"}');
  const written = Array.from({ length: 101 }, () => escapes.at(6, VALUE));
  expect(written.slice(0, 100)).not.toContain(null);
  expect(written[100]).toBeNull();
});
