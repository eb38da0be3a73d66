import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HashTable } from './hash-table.ts';

/** A few keys that are close together, so that some repeat and many collide in the table. */
const key = fc.oneof(
  fc.uuid(),
  fc.nat(50).map((n) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`),
  fc.nat(50).map((n) => `${n.toString(16).padStart(8, '0')}-0000-7000-8000-000000000000`),
);

it('behaves as a set', () => {
  fc.assert(
    fc.property(fc.array(key, { maxLength: 300 }), (keys) => {
      const [table, set] = [new HashTable('set'), new Set<string>()];
      for (const each of keys) {
        expect(table.put(each)).toBe(!set.has(each));
        set.add(each);
        expect([table.size, table.has(each)]).toEqual([set.size, true]);
      }
    }),
  );
});

it('behaves as a map', () => {
  const entry = fc.tuple(key, fc.nat(5).map(String));
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 300 }), entry, (entries, [other, its]) => {
      const [table, map] = [new HashTable('map'), new Map<string, string>()];
      for (const [each, value] of entries) {
        expect(table.put(each, value)).toBe(!map.has(each));
        map.set(each, value);
        expect(table.maps(each, value)).toBe(true);
        expect(table.maps(each, `${value}0`)).toBe(false);
      }
      for (const [each, value] of map) expect(table.maps(each, value)).toBe(true);
      expect([table.size, table.maps(other, its)]).toEqual([map.size, map.get(other) === its]);
    }),
  );
});

it.each(['set', 'map'] as const)('holds many keys (%s)', (kind) => {
  const keys = Array.from({ length: 20_000 }, (_, n) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`);
  const textOf = (each: string) => (kind === 'set' ? undefined : `value of ${each}`);
  const table = new HashTable(kind);
  expect(keys.every((each) => table.put(each, textOf(each)))).toBe(true);
  expect(keys.some((each) => table.put(each, textOf(each)))).toBe(false);
  expect(keys.every((each) => table.has(each))).toBe(true);
  if (kind === 'map') expect(keys.every((each) => table.maps(each, `value of ${each}`))).toBe(true);
  expect(table.size).toBe(keys.length);
});
