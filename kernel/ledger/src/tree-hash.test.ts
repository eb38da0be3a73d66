import { expect, it } from 'vitest';
import { EMPTY_ROOT, type Hash, nodeHash, splitOf } from './merkle.ts';
import { leafOf } from './record-leaf.ts';
import { TreeHash } from './tree-hash.ts';

const hashes = (count: number) => Array.from({ length: count }, (_, i) => `sha256:${i.toString(16).padStart(64, '0')}`);

/** The definition in RFC 6962, section 2.1. */
function root(all: readonly string[]): Hash {
  const [only] = all;
  if (only === undefined) return EMPTY_ROOT;
  if (all.length === 1) return leafOf(only);
  const middle = splitOf(all.length);
  return nodeHash(root(all.slice(0, middle)), root(all.slice(middle)));
}

it.each([0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33])('has the root of RFC 6962 for %i records', (count) => {
  const tree = new TreeHash();
  for (const hash of hashes(count)) tree.append(hash);
  expect(tree.root()).toEqual(root(hashes(count)));
});
