import {
  consistencyPath,
  EMPTY_ROOT,
  type Hash,
  inclusionPath,
  isSameHash,
  leafHash,
  nodeHash,
  provesConsistency,
  provesInclusion,
  type Range,
  splitOf,
} from '@svc/ledger';
import { describe, expect, it } from 'vitest';
import { Tree, TreeOutdated, type TreeStore } from './tree.ts';

class Meta implements TreeStore {
  readonly values = new Map<string, string>();
  readMeta = async (key: string): Promise<string | null> => this.values.get(key) ?? null;
  writeMeta = async (key: string, expected: string | null, value: string): Promise<boolean> => {
    if ((this.values.get(key) ?? null) !== expected) return false;
    this.values.set(key, value);
    return true;
  };
}

const LEAVES = 70_000;
const leaves = Array.from({ length: LEAVES }, (_, i) => leafHash(Buffer.from(`${i}`)));

function plainRoot(begin: number, end: number): Hash {
  if (end - begin <= 1) return leaves[begin] ?? EMPTY_ROOT;
  const middle = begin + splitOf(end - begin);
  return nodeHash(plainRoot(begin, middle), plainRoot(middle, end));
}

async function grown(size: number, meta = new Meta()): Promise<Tree> {
  const tree = await Tree.load(meta);
  // Some batches end inside a tile, and others extend beyond it.
  while (tree.size < size) await tree.append(leaves.slice(tree.size, Math.min(size, tree.size + 1 + (tree.size % 299))));
  return tree;
}

const hashes = (tree: Tree, path: readonly Range[]): Promise<Hash[]> => Promise.all(path.map((range) => tree.rangeHash(range)));

describe('a tree in tiles', () => {
  it('has the roots of RFC 6962 at every size around the edges of tiles, directly and for earlier sizes', async () => {
    const tree = await grown(LEAVES);
    for (const size of [0, 1, 2, 255, 256, 257, 511, 512, 513, 1000, 65_535, 65_536, 65_537, 65_792, 65_800, LEAVES]) {
      const expected = size === 0 ? EMPTY_ROOT : plainRoot(0, size);
      expect(isSameHash(await tree.root(size), expected), `root of ${size}`).toBe(true);
      if (size < 2000) expect(isSameHash(await (await grown(size)).root(), expected)).toBe(true);
    }
  });

  it('continues from the stored tree, wherever it ended', async () => {
    const meta = new Meta();
    for (const size of [1, 255, 256, 300, 700, 65_600, 66_000]) {
      const tree = await grown(size, meta);
      expect(isSameHash(await tree.root(), plainRoot(0, size)), `root of ${size}`).toBe(true);
      expect((await Tree.load(meta)).size).toBe(size - (size % 256));
    }
  });

  it('proves inclusion and consistency from its tiles', async () => {
    const tree = await grown(66_001);
    const root = await tree.root();
    for (const index of [0, 1, 255, 256, 65_535, 65_536, 65_800, 66_000]) {
      const path = await hashes(tree, inclusionPath(index, tree.size));
      expect(provesInclusion(leaves[index] ?? EMPTY_ROOT, index, tree.size, path, root)).toBe(true);
    }
    for (const size of [1, 2, 256, 300, 65_536, 65_537, 66_000]) {
      const older = { size, root: await tree.root(size) };
      const path = await hashes(tree, consistencyPath(size, tree.size));
      expect(provesConsistency(older, { size: tree.size, root }, path)).toBe(true);
    }
  });

  it('refuses a stored tile that is cut off', async () => {
    const meta = new Meta();
    const tree = await grown(600, meta);
    const [key = '', text = ''] = [...meta.values].find(([name]) => name === 'tree/tile/0/1') ?? [];
    meta.values.set(
      key,
      Buffer.from(text, 'base64')
        .subarray(0, 32 * 255)
        .toString('base64'),
    );
    await expect(tree.tile(0, 1)).rejects.toThrow('tile 1 at level 0');
    expect(await tree.tile(0, 0)).toHaveLength(256);
  });

  it('if two processes extend it at once, one must load it again', async () => {
    const meta = new Meta();
    const [one, two] = [await Tree.load(meta), await Tree.load(meta)];
    await one.append(leaves.slice(0, 256));
    await two.append(leaves.slice(0, 255));
    await expect(two.append(leaves.slice(255, 256))).rejects.toBeInstanceOf(TreeOutdated);
    expect(isSameHash(await (await grown(600, meta)).root(), plainRoot(0, 600))).toBe(true);
  });
});
