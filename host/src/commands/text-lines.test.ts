import { expect, it } from 'vitest';
import { linesFrom } from './text-lines.ts';

async function lines(...pieces: string[]): Promise<string[]> {
  async function* given() {
    yield* pieces;
  }
  const found: string[] = [];
  for await (const line of linesFrom(given())) found.push(line);
  return found;
}

it('ends a line only at a line feed, wherever the text is cut', async () => {
  const text = '{"text":"a\u2028b\u2029c"}\r\nb\rb\n\nlast';
  const expected = ['{"text":"a\u2028b\u2029c"}', 'b\rb', '', 'last'];
  expect(await lines(text)).toEqual(expected);
  expect(await lines(...text)).toEqual(expected);
  expect(await lines()).toEqual([]);
});
