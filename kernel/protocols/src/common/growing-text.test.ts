import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GrowingText } from './growing-text.ts';

it('is the concatenation of its pieces, however many there are', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 300, size: 'max' }), (pieces) => {
      const text = new GrowingText();
      for (const piece of pieces) text.push(piece);
      expect(text.toString()).toBe(pieces.join(''));
      expect(text.length).toBe(pieces.join('').length);
    }),
  );
});
