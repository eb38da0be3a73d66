import { describe, expect, it } from 'vitest';
import { base64Of } from './bytes.ts';
import { canonicalJson, sha256 } from './canonical.ts';
import type { LedgerFault } from './chain-verifier.ts';
import { hashFromText, parseCheckpoint } from './checkpoint.ts';
import { MalformedNote } from './malformed-note.ts';
import { provesConsistency, provesInclusion } from './merkle.ts';
import { openNote, parseVerifierKey } from './note.ts';
import { noteSigners } from './note-signers.ts';
import { includedRecord, parseProof } from './proof-file.ts';
import { readRecord } from './record.ts';
import { leafOf } from './record-leaf.ts';
import { vector, vectorJson, vectorLedger } from './test-vectors.ts';
import { TreeHash } from './tree-hash.ts';
import { verifyLedger } from './verify-ledger.ts';
import { verifyProof } from './verify-proof.ts';

interface RecordVector {
  readonly record: Record<string, unknown>;
  readonly canonical: string;
  readonly hash: string;
  readonly leaf: string;
}
interface TreeVectors {
  readonly roots: readonly { size: number; root: string }[];
  readonly inclusion: readonly { index: number; size: number; path: string[] }[];
  readonly consistency: readonly { from: number; to: number; path: string[] }[];
}
interface BrokenVector {
  readonly file: string;
  readonly what: string;
  readonly alone: LedgerFault | null;
  readonly with_checkpoints: LedgerFault;
}

const records = vectorJson<RecordVector[]>('records.json');
const tree = vectorJson<TreeVectors>('tree.json');
const key = vector('ledger.vkey').trim();
const verifier = parseVerifierKey(key);
const checkpoints = [7, 11].map((size) => {
  const { text, signedBy } = openNote(vector(`ledger-${size}.checkpoint`), [verifier]);
  expect(signedBy).toEqual([verifier]);
  return parseCheckpoint(text);
});
const rootAt = (size: number) => hashFromText(tree.roots[size]?.root ?? '');

describe('records', () => {
  it.each(records)('$hash', ({ record, canonical, hash, leaf }) => {
    expect(canonicalJson(record)).toBe(canonical);
    expect(sha256(canonical)).toBe(hash);
    expect(base64Of(leafOf(hash))).toBe(leaf);
    const bytes = Buffer.from(canonicalJson({ ...record, hash }));
    expect(readRecord(bytes)).toMatchObject({ place: { seq: record.seq, prev_hash: record.prev_hash, hash } });
  });
});

describe('the tree', () => {
  it('has the roots', () => {
    const built = new TreeHash();
    for (const { size, root } of tree.roots) {
      expect(built.size).toBe(size);
      expect(base64Of(built.root())).toBe(root);
      const next = records[size];
      if (next !== undefined) built.append(next.hash);
    }
  });

  it('proves inclusion and consistency', () => {
    for (const { index, size, path } of tree.inclusion)
      expect(provesInclusion(leafOf(records[index]?.hash ?? ''), index, size, path.map(hashFromText), rootAt(size))).toBe(true);
    for (const { from, to, path } of tree.consistency) {
      const [first, second] = [from, to].map((size) => ({ size, root: rootAt(size) }));
      expect(first && second && provesConsistency(first, second, path.map(hashFromText))).toBe(true);
    }
  });
});

describe('proof files', () => {
  it.each(['1-of-7', '7-of-11', '11-of-11'])('%s holds', (name) => {
    const [seq, size] = name.split('-of-').map(Number);
    expect(verifyProof(vector(`proofs/${name}.tlog-proof`), [verifier])).toMatchObject({
      place: { seq },
      checkpoint: { size },
      signedBy: [verifier],
    });
  });

  it.each(['1-of-7', '7-of-11', '11-of-11'])('%s holds in a browser', async (name) => {
    const file = parseProof(vector(`proofs/${name}.tlog-proof`));
    expect(includedRecord(file).place.seq).toBe(Number.parseInt(name, 10));
    expect(await noteSigners(file.checkpoint, [key])).toEqual([key.split('+', 2).join('+')]);
    expect(await noteSigners(file.checkpoint, [])).toEqual([]);
  });

  it.each(['other-index', 'other-record', 'short-path', 'other-tree', 'signature'])('%s does not in a browser', async (name) => {
    const file = parseProof(vector(`proofs/broken/${name}.tlog-proof`));
    await expect(async () => {
      await noteSigners(file.checkpoint, [key]);
      includedRecord(file);
    }).rejects.toThrow(MalformedNote);
  });

  it.each(['other-index', 'other-record', 'short-path', 'other-tree', 'signature'])('%s does not', (name) => {
    expect(() => verifyProof(vector(`proofs/broken/${name}.tlog-proof`), [verifier])).toThrow(MalformedNote);
  });
});

describe('ledgers', () => {
  it('the whole ledger is valid, and is the one that was signed', async () => {
    expect(await verifyLedger(vectorLedger(), checkpoints)).toMatchObject({
      records: 11,
      anchored: 11,
      fault: null,
      root: rootAt(11),
    });
    expect(await verifyLedger(vectorLedger(), checkpoints.slice(0, 1))).toMatchObject({ records: 11, anchored: 7, fault: null });
    expect(await verifyLedger(vectorLedger())).toMatchObject({ records: 11, anchored: 0, fault: null });
  });

  it.each(vectorJson<BrokenVector[]>('broken.json'))('$file: $what', async ({ file, alone, with_checkpoints }) => {
    const broken = vectorLedger(file);
    expect((await verifyLedger(broken)).fault).toEqual(alone);
    expect((await verifyLedger(broken, checkpoints)).fault).toEqual(with_checkpoints);
  });
});
