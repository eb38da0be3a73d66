import { expect, it } from 'vitest';
import { withText } from './with-text.ts';

it('a piece is made from the received frame: it has the text in its place, and repeats no other text', () => {
  const came = { found: [{ type: 'hit', format: 'v1', title: 'a title', rank: 3 }, 'more'] };
  expect(withText(came, ['found', 0, 'title'], 'x')).toEqual({ found: [{ type: 'hit', format: 'v1', title: 'x', rank: 3 }, ''] });
  expect(withText(came, ['found', 0, 'type'], 'x')).toEqual({ found: [{ type: 'x', format: 'v1', title: '', rank: 3 }, ''] });
});
