import { expect, it } from 'vitest';
import { AssembledThinking } from './assembled-thinking.ts';

const piece = (thinking: string, signature?: string) => ({
  type: 'thinking',
  thinking,
  ...(signature !== undefined && { signature }),
});
const redacted = { type: 'redacted_thinking', data: 'REVG' };

it('joins pieces until a signature ends the block', () => {
  const thinking = new AssembledThinking();
  expect(thinking.take([piece('Hm'), piece('. ', '')])).toEqual([]);
  expect(thinking.take([piece('So.', 'QUJD')])).toEqual([piece('Hm. So.', 'QUJD')]);
  expect(thinking.take(piece('', 'R0hJ'))).toEqual([piece('', 'R0hJ')]);
  expect(thinking.end()).toEqual([]);
});

it('returns an unfinished block before the next block, or at the end', () => {
  const thinking = new AssembledThinking();
  expect(thinking.take([piece('Hm.'), redacted, piece('So.')])).toEqual([piece('Hm.'), redacted]);
  expect([thinking.end(), thinking.end()]).toEqual([[piece('So.')], []]);
});

it('returns anything that is not a block unchanged', () => {
  const others = ['text', 7, null, { type: 'thinking', thinking: 7 }];
  expect(new AssembledThinking().take(others)).toEqual(others);
});
