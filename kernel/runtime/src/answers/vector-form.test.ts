import { expect, it } from 'vitest';
import { inRequestedForm } from './vector-form.ts';

const NUMBERS = [1, -0.5, 0.25, 3.5];
const BASE64 = Buffer.from(Float32Array.from(NUMBERS).buffer).toString('base64');
const asked = (encoding_format?: 'float' | 'base64') => ({
  model: 'm',
  input: ['a', 'b'],
  ...(encoding_format && { encoding_format }),
});

it.each([
  ['base64', 'base64', [BASE64, BASE64]],
  ['float', 'float', [NUMBERS, NUMBERS]],
  ['nothing', undefined, [NUMBERS, NUMBERS]],
] as const)('if %s is requested, every vector has that form', async (_name, format, vectors) => {
  expect(await inRequestedForm([NUMBERS, BASE64], asked(format), 'alice')).toEqual(vectors);
});

it('leaves vectors unchanged that already have the form', async () => {
  const vectors = [NUMBERS, NUMBERS];
  expect(await inRequestedForm(vectors, asked(), 'alice')).toBe(vectors);
});

it.each(['AAA=', Buffer.from(Float32Array.of(Number.NaN).buffer).toString('base64')])('%s is not a vector', async (vector) => {
  await expect(inRequestedForm([vector], asked(), 'alice')).rejects.toMatchObject({ kind: 'malformed' });
});
