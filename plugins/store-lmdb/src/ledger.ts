import { type LedgerHead, type SealedRecord, StoreError } from '@svc/sdk/plugin';
import { assertChained } from '@svc/sdk/store';
import type { Key } from 'lmdb';
import { type Databases, NO_VALUE } from './databases.ts';

type RecordType = SealedRecord['record_type'];

/** A stored value is type, hash and bytes in lines, so that neither head nor filter need parse a record. */
export interface Entry {
  readonly record_type: string;
  readonly hash: string;
  readonly bytes: string;
}

function encode({ record_type, hash, bytes }: SealedRecord): string {
  return `${record_type}\n${hash}\n${bytes}`;
}

export function decodeEntry(value: string): Entry {
  const first = value.indexOf('\n');
  const second = value.indexOf('\n', first + 1);
  return { record_type: value.slice(0, first), hash: value.slice(first + 1, second), bytes: value.slice(second + 1) };
}

export function modelKey(model_id: string, type: RecordType, seq: number): Key[] {
  return ['model', model_id, type, seq];
}

export function typeKey(type: RecordType, seq: number): Key[] {
  return ['type', type, seq];
}

/** Most records are evidence: only the other types have an index of their own. */
export function isRare(type: RecordType): boolean {
  return type !== 'run_evidence';
}

export function readHead({ ledger }: Databases): LedgerHead | null {
  for (const { key, value } of ledger.getRange({ reverse: true, limit: 1 })) return { seq: key, hash: decodeEntry(value).hash };
  return null;
}

/** Appends records after `head`, which the same write has read. @throws {StoreError} `CHAIN` */
export function appendRecords(
  { ledger, ledgerIndex }: Databases,
  head: LedgerHead | null,
  records: readonly SealedRecord[],
): void {
  assertChained(head, records);
  for (const record of records) {
    // A second process on the folder would have forked the chain.
    if (ledger.doesExist(record.seq)) throw new StoreError('CHAIN', `record ${record.seq} is there already: nothing was written`);
    ledger.putSync(record.seq, encode(record));
    if (isRare(record.record_type)) ledgerIndex.putSync(typeKey(record.record_type, record.seq), NO_VALUE);
  }
  for (const [{ model_id, record_type, seq }, ...more] of byModel(records)) {
    ledgerIndex.putSync(modelKey(model_id, record_type, seq), encodeBlock(seq, more));
  }
}

/** Records of one model and type together, in order. */
function byModel(records: readonly SealedRecord[]): Iterable<[SealedRecord, ...SealedRecord[]]> {
  const blocks = new Map<string, [SealedRecord, ...SealedRecord[]]>();
  for (const record of records) {
    const name = `${record.record_type} ${record.model_id}`;
    const block = blocks.get(name);
    if (block === undefined) blocks.set(name, [record]);
    else block.push(record);
  }
  return blocks.values();
}

/** The seqs of a block after its first, which stands in the key: their distances from it. */
function encodeBlock(first: number, more: readonly SealedRecord[]): Uint8Array {
  if (more.length === 0) return NO_VALUE;
  return new Uint8Array(Uint32Array.from(more, ({ seq }) => seq - first).buffer);
}

/** All seqs of a block, ascending. */
export function decodeBlock(first: number, value: Uint8Array): number[] {
  // Copied, since what LMDB gives may begin anywhere.
  return [first, ...Array.from(new Uint32Array(new Uint8Array(value).buffer), (distance) => first + distance)];
}
