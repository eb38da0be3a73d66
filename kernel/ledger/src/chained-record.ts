import { isObject, type JsonObject } from '@svc/contracts';
import { canonicalJson, sha256 } from './canonical.ts';

/** The chain fields of a record. */
export interface RecordPlace {
  readonly seq: number;
  readonly prev_hash: string;
  /** `sha256:` and 64 lowercase hex characters. */
  readonly hash: string;
}

/** The fault in a record's form, position or hash. */
export type ChainFault = 'not_json' | 'not_canonical' | 'wrong_seq' | 'wrong_prev_hash' | 'wrong_hash';

/** The record that the checked record must directly follow. Absent: any position is valid. */
export type After = Pick<RecordPlace, 'seq' | 'hash'> | undefined;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a record. Checks that it is canonical JSON in UTF-8, and that its position and hash are right. Returns the first fault, if any. Does not
 * check the schema, so the chain fields may be missing if `after` is absent.
 */
export function readChained(bytes: Uint8Array, after?: After): JsonObject | ChainFault {
  const text = textOrNull(bytes);
  const record = text === null ? null : objectOrNull(text);
  if (text === null || record === null) return 'not_json';
  if (canonicalOrNull(record) !== text) return 'not_canonical';
  if (after !== undefined && record.seq !== after.seq + 1) return 'wrong_seq';
  if (after !== undefined && record.prev_hash !== after.hash) return 'wrong_prev_hash';
  if (record.hash !== hashOf(text, record)) return 'wrong_hash';
  return record;
}

export function hashOf(text: string, record: JsonObject): string {
  return sha256(textWithoutHash(text, String(record.hash)) ?? bodyOf(record));
}

/**
 * The canonical text of a record with its hash cut out. Null if no member follows the hash; in records that match a schema, one always does. The
 * match is unambiguous, because a text cannot contain its own hash elsewhere.
 */
export function textWithoutHash(text: string, hash: string): string | null {
  const member = `"hash":"${hash}",`;
  const at = text.lastIndexOf(member);
  return at < 0 ? null : text.slice(0, at) + text.slice(at + member.length);
}

function bodyOf({ hash: _, ...body }: JsonObject): string {
  return canonicalJson(body);
}

function textOrNull(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

function objectOrNull(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
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
