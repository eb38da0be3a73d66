import { expect, it } from 'vitest';
import { Blocks } from './blocks.ts';

it('keeps the texts of two fields apart, which guards read apart', () => {
  const blocks = new Blocks();
  for (const piece of [
    { reasoning_content: 'a' },
    { reasoning: 'b' },
    { content: '4111' },
    { content: '1111' },
    { refusal: '1111' },
    { content: 'c', refusal: 'd' },
  ])
    blocks.take(piece);
  blocks.close();
  const texts = blocks.all.map((block) => (block.type === 'text' ? block.text : block.type === 'thinking' ? block.thinking : ''));
  expect(texts).toEqual(['a', 'b', '41111111', '1111', 'c', 'd']);
});
