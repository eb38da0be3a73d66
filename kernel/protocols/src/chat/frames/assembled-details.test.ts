import { expect, it } from 'vitest';
import { joinDetail } from './assembled-details.ts';

function joined(...pieces: unknown[]): unknown[] {
  const details: unknown[] = [];
  for (const piece of pieces) joinDetail(details, piece);
  return details;
}

it('continues a text with the same type and index, and takes its signature from any piece', () => {
  const text = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 };
  expect(
    joined(
      { ...text, text: 'Hm', signature: null },
      { ...text, text: '. So.' },
      { ...text, signature: 'QUJD' },
      { ...text, index: 1 },
    ),
  ).toEqual([
    { ...text, text: 'Hm. So.', signature: 'QUJD' },
    { ...text, index: 1 },
  ]);
});

it('keeps everything else separate', () => {
  const encrypted = { type: 'reasoning.encrypted', data: 'QUJD', index: 0 };
  const pieces = [encrypted, { ...encrypted, data: 'REVG' }, { type: 'reasoning.summary', summary: 'x', index: 0 }, 'text', 7];
  expect(joined(...pieces)).toEqual(pieces);
});

it('does not change the pieces that it was given', () => {
  const first = { type: 'reasoning.summary', summary: 'a', index: 0 };
  expect(joined(first, { ...first, summary: 'b' })).toEqual([{ ...first, summary: 'ab' }]);
  expect(first.summary).toBe('a');
});
