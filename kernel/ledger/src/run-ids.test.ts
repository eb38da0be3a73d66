import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RunIds } from './run-ids.ts';

it('behaves as a set of UUIDs', () => {
  // A few ids that are close together, so that some repeat and many collide in the table.
  const id = fc.oneof(
    fc.uuid(),
    fc.nat(50).map((n) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`),
    fc.nat(50).map((n) => `${n.toString(16).padStart(8, '0')}-0000-7000-8000-000000000000`),
  );
  fc.assert(
    fc.property(fc.array(id, { maxLength: 300 }), (ids) => {
      const [runs, set] = [new RunIds(), new Set<string>()];
      for (const each of ids) {
        expect(runs.add(each)).toBe(!set.has(each));
        set.add(each);
        expect(runs.size).toBe(set.size);
      }
    }),
  );
});

it('holds many ids', () => {
  const ids = Array.from({ length: 20_000 }, (_, n) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`);
  const runs = new RunIds();
  expect(ids.every((id) => runs.add(id))).toBe(true);
  expect(ids.some((id) => runs.add(id.toUpperCase()))).toBe(false);
  expect(runs.size).toBe(ids.length);
});
