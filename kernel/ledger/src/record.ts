import { ModelInventory, Operation, RunEvidence } from '@svc/contracts';
import { Compile } from 'typebox/compile';
import { canonicalJson, sha256 } from './canonical.ts';
import { type Hash, leafHash } from './merkle.ts';

/** The chain fields of a record. */
export interface RecordPlace {
  readonly seq: number;
  readonly prev_hash: string;
  /** `sha256:` and 64 lowercase hex characters. */
  readonly hash: string;
}

/** The fields that evidence and the row of its run have in common. */
export type RunSummary = Pick<RunEvidence, 'run_id' | 'principal_id' | 'status' | 'created_at' | 'approver'>;

/** A parsed record: its place and its run. */
export interface ReadRecord {
  readonly place: RecordPlace;
  /** Null for an operation. */
  readonly model_id: string | null;
  /** The run that it is evidence of; null for an inventory record and for an operation. */
  readonly run: RunSummary | null;
}

export type RecordFault = 'not_json' | 'not_canonical' | 'wrong_seq' | 'wrong_prev_hash' | 'wrong_hash' | 'wrong_schema';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Compiling takes some milliseconds: done once, on first use. */
let schemas: ReturnType<typeof compileSchemas> | undefined;
let operation: ReturnType<typeof compileOperation> | undefined;

function compileSchemas() {
  return { evidence: Compile(RunEvidence), inventory: Compile(ModelInventory) };
}

function compileOperation() {
  return Compile(Operation);
}

/** Where a record stands: behind this one. Absent: any place is valid. */
type After = Pick<RecordPlace, 'seq' | 'hash'> | undefined;

/** Parses and checks a record of the ledger: UTF-8, JSON, canonical form, place, hash and schema. Returns the first fault, if any. */
export function readRecord(bytes: Uint8Array, after?: After): ReadRecord | RecordFault {
  return readChained(bytes, after, ledgerRecordIn);
}

/** The same for a record of the operations log. */
export function readOperation(bytes: Uint8Array, after?: After): ReadRecord | RecordFault {
  return readChained(bytes, after, operationIn);
}

function readChained(
  bytes: Uint8Array,
  after: After,
  checked: (record: Record<string, unknown>) => ReadRecord | null,
): ReadRecord | RecordFault {
  const text = textOrNull(bytes);
  const record = text === null ? null : objectOrNull(text);
  if (text === null || record === null) return 'not_json';
  if (canonicalOrNull(record) !== text) return 'not_canonical';
  if (after !== undefined && record.seq !== after.seq + 1) return 'wrong_seq';
  if (after !== undefined && record.prev_hash !== after.hash) return 'wrong_prev_hash';
  if (record.hash !== sha256(textWithoutHash(text, String(record.hash)) ?? bodyOf(record))) return 'wrong_hash';
  return checked(record) ?? 'wrong_schema';
}

/** The leaf of a record: the ASCII characters of its hash. Its index is `seq` − 1. */
export function leafOf(hash: string): Hash {
  return leafHash(Buffer.from(hash, 'latin1'));
}

/**
 * The canonical text of a record without its hash, by cutting the hash out; null if no member follows it, as one does in
 * every record of the schemas. The match is unambiguous: a text cannot contain its own hash elsewhere.
 */
export function textWithoutHash(text: string, hash: string): string | null {
  const member = `"hash":"${hash}",`;
  const at = text.lastIndexOf(member);
  return at < 0 ? null : text.slice(0, at) + text.slice(at + member.length);
}

function bodyOf({ hash: _, ...body }: Record<string, unknown>): string {
  return canonicalJson(body);
}

/** Null: it does not match its schema. */
function ledgerRecordIn(record: Record<string, unknown>): ReadRecord | null {
  schemas ??= compileSchemas();
  if (schemas.evidence.Check(record)) {
    const { run_id, principal_id, status, created_at, approver } = record;
    return { place: placeOf(record), model_id: record.model_id, run: { run_id, principal_id, status, created_at, approver } };
  }
  return schemas.inventory.Check(record) ? { place: placeOf(record), model_id: record.model_id, run: null } : null;
}

/** Null: it does not match its schema. */
function operationIn(record: Record<string, unknown>): ReadRecord | null {
  operation ??= compileOperation();
  return operation.Check(record) ? { place: placeOf(record), model_id: null, run: null } : null;
}

function placeOf({ seq, prev_hash, hash }: RecordPlace): RecordPlace {
  return { seq, prev_hash, hash };
}

function textOrNull(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function objectOrNull(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function canonicalOrNull(value: unknown): string | null {
  try {
    return canonicalJson(value);
  } catch {
    return null;
  }
}
