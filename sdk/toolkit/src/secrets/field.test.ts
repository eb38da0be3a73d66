import { SecretFailedError } from '@svc/contracts';
import { expect, test } from 'vitest';
import { fieldOf } from './field.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test.each<[string, string | Uint8Array, string, string]>([
  ['a field of an object', '{"a":"x","b":"y"}', 'b', 'y'],
  ['a field called value', '{"value":"x"}', 'value', 'x'],
  ['a field of an object in bytes', bytes('{"a":"é"}'), 'a', 'é'],
  ['a whole text', 'sk-1', 'value', 'sk-1'],
  ['a whole text as it was written', ' sk-1\n', 'value', ' sk-1\n'],
  ['a text with a byte order mark', bytes('\uFEFFsk-1'), 'value', '\uFEFFsk-1'],
  ['a number, which is a text too', '12345', 'value', '12345'],
  ['an array, which is a text too', '["a"]', 'value', '["a"]'],
])('%s', (_, content, key, value) => {
  expect(fieldOf(content, key)).toBe(value);
});

test.each<[string, string | Uint8Array, string, string]>([
  ['no such field', '{"a":"x"}', 'b', 'not_found'],
  ['no field called value', '{"a":"x"}', 'value', 'not_found'],
  ['a field that every object has', '{"a":"x"}', 'constructor', 'not_found'],
  ['a field of a text', 'sk-1', 'a', 'not_found'],
  ['a number', '{"a":1}', 'a', 'malformed'],
  ['an empty field', '{"a":""}', 'a', 'malformed'],
  ['an empty secret', '', 'value', 'malformed'],
  ['bytes that are no text', Uint8Array.of(0xff, 0xfe), 'value', 'malformed'],
])('%s is refused', (_, content, key, failure) => {
  expect(() => fieldOf(content, key)).toThrow(new SecretFailedError(failure as SecretFailedError['failure']));
});
