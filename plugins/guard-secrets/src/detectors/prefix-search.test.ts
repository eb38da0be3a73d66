import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CLEAN, SAMPLES } from '../samples.ts';
import { clean, labelled } from '../test-corpus.ts';
import { Search } from './detector.ts';
import { PREFIXED } from './index.ts';
import { PrefixSearch } from './prefix-search.ts';

const search = new PrefixSearch(PREFIXED);
const alone = PREFIXED.map((detector) => new Search(detector));

const unit = fc.oneof(
  fc.constantFrom(...SAMPLES.map(([, , text]) => text), ...labelled().map(({ text }) => text)),
  fc.constantFrom(...PREFIXED.flatMap(({ prefixes }) => prefixes)),
  fc.constantFrom(...CLEAN, ...clean(), ' ', '.', '-', '_', 'a', 'é', '0', '/'),
);
const part = fc.tuple(unit, fc.nat()).map(([text, at]) => text.slice(0, 1 + (at % text.length)));
const texts = fc.array(fc.oneof(unit, part), { maxLength: 4 }).map((parts) => parts.join(''));

test('all formats at once are found where each is found alone', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const starts = [...search.hits(text, 0)].map(({ start }) => start);
      expect(starts).toEqual(
        [...new Set(alone.flatMap((one) => [...one.hits(text, 0)]).map(({ start }) => start))].sort((a, b) => a - b),
      );
      if (starts.length > 0) expect(search.isLikely(text, 0)).toBe(true);
    }),
  );
});

test('text before the open end does not change, whatever follows', () => {
  fc.assert(
    fc.property(texts, texts, fc.nat(), (text, rest, place) => {
      const from = place % (text.length + 1);
      const open = search.openFrom(text, from);
      const closed = (whole: string) => [...search.hits(whole, from)].filter(({ start }) => start < open);
      expect(closed(text + rest)).toEqual(closed(text));
    }),
  );
});
