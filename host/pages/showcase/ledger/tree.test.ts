import { EMPTY_ROOT, type Hash, leafHash, nodeHash, splitOf } from '@svc/ledger';
import { expect, it } from 'vitest';
import { headOf, rootOf } from './tree.ts';

const hashes = (count: number) => Array.from({ length: count }, (_, i) => `sha256:${i.toString(16).padStart(64, '0')}`);

/** As RFC 6962 writes it down, section 2.1. */
function root(all: readonly string[]): Hash {
  const [only] = all;
  if (only === undefined) return EMPTY_ROOT;
  if (all.length === 1) return leafHash(new TextEncoder().encode(only));
  const middle = splitOf(all.length);
  return nodeHash(root(all.slice(0, middle)), root(all.slice(middle)));
}

it.each([0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 33])('has the root of RFC 6962 over %i records', async (count) => {
  expect(await rootOf(hashes(count))).toBe(root(hashes(count)).toString('base64'));
});

it('reads the head of a checkpoint', () => {
  expect(headOf('example.org/gateway\n12\nAAAA\n\n— example.org/gateway sig\n')).toEqual({
    origin: 'example.org/gateway',
    size: 12,
    root: 'AAAA',
  });
  for (const note of ['', 'a\nb\nc\n', 'a\n1\n']) expect(() => headOf(note)).toThrow();
});
