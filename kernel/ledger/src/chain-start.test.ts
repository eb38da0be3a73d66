import { GENESIS } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { chainStart, FROM_GENESIS } from './chain-start.ts';
import { ChainVerifier } from './chain-verifier.ts';
import { readChained } from './chained-record.ts';
import { checkpointText } from './checkpoint.ts';
import { type Hash, inclusionPath } from './merkle.ts';
import { signatureLine } from './note-text.ts';
import { placeRecord, prepareRecord } from './prepare.ts';
import type { ProofFile } from './proof-file.ts';
import { TreeHash } from './tree-hash.ts';

const COUNT = 70;
const records: { bytes: string; hash: string }[] = [];
for (let seq = 1; seq <= COUNT; seq++)
  records.push(placeRecord(prepareRecord({ record_type: 'test', value: seq }), seq, records.at(-1)?.hash ?? GENESIS));

function rootOf(begin: number, end: number): Hash {
  const tree = new TreeHash();
  for (const { hash } of records.slice(begin, end)) tree.append(hash);
  return tree.root();
}

function proofOf(index: number, size: number): ProofFile {
  const text = checkpointText({ origin: 'example.org/log', size, root: rootOf(0, size) });
  const checkpoint = `${text}\n${signatureLine('example.org/log', '00000000', new Uint8Array(64))}`;
  const path = inclusionPath(index, size).map(({ begin, end }) => rootOf(begin, end));
  return { record: records[index]?.bytes ?? '', index, path, checkpoint };
}

const plain = (start = FROM_GENESIS, through = COUNT) =>
  new ChainVerifier(
    (bytes, after) => {
      const read = readChained(bytes, after);
      if (typeof read === 'string') return read;
      return { place: { seq: Number(read.seq), prev_hash: String(read.prev_hash), hash: String(read.hash) }, run: null };
    },
    [],
    [{ origin: 'example.org/log', size: through, root: rootOf(0, through) }],
    start,
  );

describe('a part of a log', () => {
  it('has the root of the whole log, whatever the size of the tree of its first proof', () => {
    for (const index of [0, 1, 2, 3, 6, 7, 8, 31, 32, 33, 62, 63, 64, 69])
      for (const size of [index + 1, Math.min(COUNT, index + 2), 69, COUNT].filter((size) => size > index)) {
        const verifier = plain(chainStart(proofOf(index, size)));
        for (const { bytes } of records.slice(index)) verifier.add(Buffer.from(bytes));
        expect(verifier.report()).toMatchObject({ records: COUNT, fault: null });
      }
  });

  it('is broken without its last record, and with another one before it', () => {
    const start = chainStart(proofOf(40, COUNT));
    const short = plain(start);
    for (const { bytes } of records.slice(40, -1)) short.add(Buffer.from(bytes));
    expect(short.report().fault).toMatchObject({ seq: COUNT, why: 'cut_off' });
    const roots = start.roots.map((root, at) => (at === 0 ? root.map((byte) => byte ^ 1) : root));
    const other = plain({ ...start, roots });
    for (const { bytes } of records.slice(40)) other.add(Buffer.from(bytes));
    expect(other.report().fault).toMatchObject({ why: 'not_as_signed' });
    const gap = plain(start);
    gap.add(Buffer.from(records[41]?.bytes ?? ''));
    expect(gap.report().fault).toMatchObject({ seq: 41, why: 'wrong_seq' });
  });
});
