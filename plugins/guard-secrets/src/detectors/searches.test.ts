import fc from 'fast-check';
import { expect, test } from 'vitest';
import { choose } from '../chosen.ts';
import { CLEAN, DEFAULTS, SAMPLES } from '../samples.ts';
import { Searches } from './searches.ts';

const { exact, endless } = choose(DEFAULTS);
const all = new Searches([...exact.all, ...endless.all]);

const part = fc.oneof(
  fc.tuple(fc.constantFrom(...SAMPLES.map(([, , text]) => text)), fc.nat(), fc.nat()).map(([text, from, to]) => {
    const [start = 0, end = 0] = [from % text.length, to % (text.length + 1)].sort((a, b) => a - b);
    return text.slice(start, end);
  }),
  fc.constantFrom(...CLEAN, ' ', '\n', '.', '-', '_', '=', 'a', 'é', '密码', 'secret', 'is', 'aws_secret key ', '://a:b@', 'ſk-'),
);
const texts = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));

test('several detectors at once say what each says by itself', () => {
  fc.assert(
    fc.property(texts, fc.nat(), (text, place) => {
      const from = place % (text.length + 1);
      const alone = all.all.map((search) => new Searches([search]));
      expect(all.openFrom(text, from)).toBe(Math.min(...alone.map((search) => search.openFrom(text, from))));
      const hits = all.all.filter((search) => !search.hits(text, from).next().done);
      const likely = all.likely(text, from);
      expect(hits.filter((search) => !likely.includes(search))).toEqual([]);
      expect(likely).toEqual(all.all.filter((search) => likely.includes(search)));
      const plain = all.plainOpenFrom(text, from);
      if (plain !== null) expect({ plain, hits }).toEqual({ plain: all.openFrom(text, from), hits: [] });
    }),
    { numRuns: 1_000 },
  );
});
