import { expect, test } from 'vitest';
import { JsonEscapes } from './json-text.ts';

const VALUE = '-----BEGIN\nab\tc\n-----END';
const VALUES = [VALUE, 'p"a"ss', 'pa\\ss\\word', '\\', '"', 'a\u0001b', '\ud800"', 'C:\\x"\r\n'];

/** Puts a value into a JSON text of this depth, in place of a mark. */
function nested(depth: number, mark: string): string {
  let text = `key: ${mark}, "quoted"`;
  for (let n = 0; n < depth; n++) text = JSON.stringify({ a: [1, text], b: 'other' });
  return text;
}

test.each([0, 1, 2, 3])('a value with quotes, backslashes or lines stays valid in JSON of depth %i', (depth) => {
  for (const value of VALUES) {
    const text = nested(depth, '<X_1>');
    const at = text.indexOf('<X_1>');
    const written = text.slice(0, at) + new JsonEscapes(text).at(at, value) + text.slice(at + 5);
    let read: unknown = written;
    for (let n = 0; n < depth; n++) read = (JSON.parse(String(read)) as { a: unknown[] }).a[1];
    expect(read).toBe(`key: ${value}, "quoted"`);
  }
});

test('a value in very deep JSON is not written', () => {
  const text = nested(9, '<X_1>');
  expect(new JsonEscapes(text).at(text.indexOf('<X_1>'), VALUE)).toBeNull();
});

test('a value that is escaped already, or is outside a string, stays as it is', () => {
  const text = nested(1, '<X_1>');
  expect(new JsonEscapes(text).at(text.indexOf('<X_1>'), 'a\\nb')).toBe('a\\nb');
  expect(new JsonEscapes('{not json <X_1>').at(10, VALUE)).toBe(VALUE);
  expect(new JsonEscapes('{"a": 1} ').at(8, VALUE)).toBe(VALUE);
});

test('very many of them are not written', () => {
  const escapes = new JsonEscapes('{"a":"x"}');
  const written = Array.from({ length: 101 }, () => escapes.at(6, VALUE));
  expect(written.slice(0, 100)).not.toContain(null);
  expect(written[100]).toBeNull();
});
