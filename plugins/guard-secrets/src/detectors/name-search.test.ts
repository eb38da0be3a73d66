import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CLEAN, SAMPLES } from '../samples.ts';
import { clean, labelled } from '../test-corpus.ts';
import { Search } from './detector.ts';
import { NameSearch } from './name-search.ts';
import { namedValues, VALUE_NAMES } from './named-value.ts';

const detectors = namedValues(2.5);
const search = new NameSearch(VALUE_NAMES, detectors);
const alone = detectors.map((detector) => new Search(detector));

const unit = fc.oneof(
  fc.constantFrom(...SAMPLES.map(([, , text]) => text), ...labelled().map(({ text }) => text)),
  fc.constantFrom(...VALUE_NAMES, ...VALUE_NAMES.map((name) => name.toUpperCase())),
  fc.constantFrom(...CLEAN, ...clean(), ' ', '=', '/', '"', ': ', 'é', 'S3cr3t-Wq9', '9f86d081884c7d659a2feaa0c55ad015'),
);
const part = fc.tuple(unit, fc.nat()).map(([text, at]) => text.slice(0, 1 + (at % text.length)));
const texts = fc.array(fc.oneof(unit, part), { maxLength: 5 }).map((parts) => parts.join(''));

test('all detectors at once find what each finds alone, from left to right', () => {
  fc.assert(
    fc.property(texts, fc.nat(), (text, place) => {
      const from = place % (text.length + 1);
      const hits = [...search.hits(text, from)];
      const each = alone.flatMap((one) => [...one.hits(text, from)]);
      expect(hits).toEqual(each.toSorted((a, b) => a.start - b.start));
      if (hits.length > 0) expect(search.isLikely(text, from)).toBe(true);
    }),
    { numRuns: 1_000 },
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
    {
      numRuns: 1_000,
      examples: [
        ['ACCESS_TOKEN: sgp_2029417cbd56fthe id is AKIAMOU', 'PRIVATE-TOKEN: glpat-cX0I3', 0],
        ['Authorization: Basic YW5uOktwNC1SZWdlbnd1cm0=What ', 'DATABASE_URL=postgres://app:Wq8-Tannenzapfen@db.example', 0],
      ],
    },
  );
});
