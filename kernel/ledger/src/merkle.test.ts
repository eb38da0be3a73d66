import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  consistencyPath,
  EMPTY_ROOT,
  type Hash,
  inclusionPath,
  leafHash,
  nodeHash,
  provesConsistency,
  provesInclusion,
  type Range,
  splitOf,
} from './merkle.ts';

/** RFC 6962, 2.1, word for word. */
function root(leaves: readonly Hash[]): Hash {
  const [first] = leaves;
  if (first === undefined) return EMPTY_ROOT;
  if (leaves.length === 1) return first;
  const k = splitOf(leaves.length);
  return nodeHash(root(leaves.slice(0, k)), root(leaves.slice(k)));
}

const leaves = Array.from({ length: 300 }, (_, i) => leafHash(Buffer.from(`entry ${i}`)));
const hashed = (path: readonly Range[]): Hash[] => path.map(({ begin, end }) => root(leaves.slice(begin, end)));
const rootOf = (size: number): Hash => root(leaves.slice(0, size));

describe('the test vectors of RFC 6962 that other implementations use', () => {
  const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map((hex) =>
    leafHash(Buffer.from(hex, 'hex')),
  );

  it.each([
    [0, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [1, '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
    [2, 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
    [3, 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
    [4, 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
    [5, '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
    [6, '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
    [7, 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
    [8, '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
  ])('root of %i leaves', (size, expected) => {
    expect(Buffer.from(root(inputs.slice(0, size))).toString('hex')).toBe(expected);
  });
});

describe('inclusion', () => {
  it('holds for each leaf of each tree, and for no other leaf, index, size or root', () => {
    for (const size of [1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 64, 65]) {
      for (let index = 0; index < size; index++) {
        const leaf = leaves[index] ?? EMPTY_ROOT;
        const path = hashed(inclusionPath(index, size));
        expect(provesInclusion(leaf, index, size, path, rootOf(size))).toBe(true);
        expect(provesInclusion(leaves[299] ?? EMPTY_ROOT, index, size, path, rootOf(size))).toBe(false);
        expect(provesInclusion(leaf, index + 1, size, path, rootOf(size))).toBe(false);
        expect(provesInclusion(leaf, index, size, path, rootOf(size + 1))).toBe(false);
        expect(provesInclusion(leaf, index, size, [...path, EMPTY_ROOT], rootOf(size))).toBe(false);
        if (size > 1) expect(provesInclusion(leaf, index, size, path.slice(0, -1), rootOf(size))).toBe(false);
      }
    }
  });

  it('refuses an invalid index', () => {
    for (const index of [-1, 1.5, Number.NaN, 1]) {
      expect(provesInclusion(leaves[0] ?? EMPTY_ROOT, index, 1, [], rootOf(1))).toBe(false);
    }
    expect(() => inclusionPath(3, 3)).toThrow(RangeError);
  });
});

describe('consistency', () => {
  const sizes = fc.tuple(fc.nat(200), fc.nat(99)).map(([first, more]) => [first, first + more] as const);

  it('holds for every prefix of every tree', () => {
    fc.assert(
      fc.property(sizes, ([first, second]) => {
        const path = hashed(consistencyPath(first, second));
        const [older, newer] = [first, second].map((size) => ({ size, root: rootOf(size) }));
        expect(older && newer && provesConsistency(older, newer, path)).toBe(true);
      }),
    );
  });

  it('does not hold for a changed tree', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), ([first, second], at, bit) => {
        fc.pre(first > 0);
        const path = hashed(consistencyPath(first, second));
        const flip = (hash: Hash): Hash => {
          const other = Buffer.from(hash);
          other[bit % 32] = (other[bit % 32] ?? 0) ^ 1;
          return other;
        };
        const older = { size: first, root: rootOf(first) };
        const newer = { size: second, root: rootOf(second) };
        expect(provesConsistency({ ...older, root: flip(older.root) }, newer, path)).toBe(false);
        expect(provesConsistency(older, { ...newer, root: flip(newer.root) }, path)).toBe(false);
        const broken = path.map((hash, i) => (i === at % path.length ? flip(hash) : hash));
        if (path.length > 0) expect(provesConsistency(older, newer, broken)).toBe(false);
        expect(provesConsistency(older, newer, [...path, EMPTY_ROOT])).toBe(false);
        if (path.length > 0) expect(provesConsistency(older, newer, path.slice(1))).toBe(false);
      }),
    );
  });

  it('does not hold for a larger tree in a smaller one', () => {
    expect(provesConsistency({ size: 5, root: rootOf(5) }, { size: 4, root: rootOf(4) }, [])).toBe(false);
    expect(() => consistencyPath(5, 4)).toThrow(RangeError);
  });
});
