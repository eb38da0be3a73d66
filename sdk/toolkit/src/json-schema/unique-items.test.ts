import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { areUnique } from './unique-items.ts';

it('finds equal members as a comparison of each pair does', () => {
  const members = fc.array(
    fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value))),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(members, fc.boolean(), (list, twice) => {
      const all = twice ? [...list, ...list.slice(0, 1)] : list;
      const equal = all.some((a, i) => all.some((b, j) => i < j && isDeepStrictEqual(a, b)));
      expect(areUnique(all)).toBe(!equal);
    }),
  );
});
