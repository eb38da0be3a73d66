import { expect, it } from 'vitest';
import { CliError } from '../errors/cli-error.ts';
import { assertKeysKept } from './json-keys.ts';

it('accepts the Node of the tests', () => {
  expect(() => assertKeysKept()).not.toThrow();
});

it('refuses a parser that returns a key of an earlier text', () => {
  let earlier: unknown;
  const confused = (text: string): unknown => {
    const parsed = JSON.parse(text);
    earlier ??= parsed;
    return earlier;
  };
  expect(() => assertKeysKept(confused)).toThrow(CliError);
});
