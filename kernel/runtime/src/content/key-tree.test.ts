import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KeyTree } from './key-tree.ts';

const runs = fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 30 });

it('forgets the given runs, and derives all other keys unchanged', () => {
  fc.assert(
    fc.property(runs, fc.nat(), (run_ids, cut) => {
      const whole = KeyTree.generate();
      const gone = run_ids.slice(0, cut % run_ids.length);
      const left = gone.reduce((key, run_id) => key.without(run_id), whole);
      for (const run_id of run_ids) {
        const expected = gone.includes(run_id) ? null : whole.keyFor(run_id)?.toString('hex');
        expect(left.keyFor(run_id)?.toString('hex') ?? null).toBe(expected);
      }
      expect(left.id).toBe(whole.id);
      expect(String(whole.without(...gone))).toBe(String(left));
    }),
  );
});

it('keeps no node on the path to a forgotten leaf, so no remaining node derives it', () => {
  const run_id = randomUUID();
  const whole = KeyTree.generate();
  const left = whole.without(run_id);
  const [, root = ''] = String(whole).split(' :');
  expect(root).toMatch(/^[0-9a-f]{64}$/);
  expect(String(left)).not.toContain(root);
  expect(String(left).split(' ')).toHaveLength(1 + 64);
  expect(left.without(run_id)).toBe(left);
  // No remaining node may be the leaf or one of its ancestors.
  const leaf = whole.keyFor(run_id)?.toString('hex') ?? '';
  expect(String(left)).not.toContain(leaf);
});

it('is read from its own output, and from 64 hex characters', () => {
  const hex = randomBytes(32).toString('hex');
  const key = KeyTree.parse(`${hex}\n`);
  const again = KeyTree.parse(String(key?.without('a')));
  expect(again?.id).toBe(key?.id);
  expect(again?.keyFor('b')).toEqual(key?.keyFor('b'));
  expect(again?.keyFor('a')).toBeNull();
  for (const text of ['', hex.slice(1), hex.toUpperCase(), `${hex} x`, `${key?.id}`, `${key?.id} 2:${hex}`, `zz :${hex}`]) {
    expect(KeyTree.parse(text)).toBeNull();
  }
});

it('gives two runs different leaves, and a run different leaves under two keys', () => {
  const leaves = [KeyTree.generate(), KeyTree.generate()].flatMap((key) =>
    ['a', 'b'].map((run) => key.keyFor(run)?.toString('hex')),
  );
  expect(new Set(leaves).size).toBe(4);
});
