import { base64Of, fromBase64 } from './bytes.ts';
import { MalformedNote } from './malformed-note.ts';
import type { Hash } from './merkle.ts';

/** The head of a tree, in the format of https://c2sp.org/tlog-checkpoint. */
export interface Checkpoint {
  /** Identifies the ledger. */
  readonly origin: string;
  /** Number of leaves. */
  readonly size: number;
  readonly root: Hash;
}

const OPERATIONS = '/operations';

/** The origin of the operations log beside a ledger. */
export function operationsOrigin(origin: string): string {
  return origin + OPERATIONS;
}

/** Whether a checkpoint belongs to an operations log, judged by its origin. */
export function isOfOperations({ origin }: Pick<Checkpoint, 'origin'>): boolean {
  return origin.endsWith(OPERATIONS);
}

/** Base64 of 32 bytes. */
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/** The text to sign as a note. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${base64Of(root)}\n`;
}

/** Lines after the third are unknown extensions and are ignored. @throws {MalformedNote} */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', size = '', encoded = ''] = text.split('\n');
  const root = hashOrNull(encoded);
  if (origin === '' || !/^(0|[1-9][0-9]*)$/.test(size) || !Number.isSafeInteger(Number(size)) || root === null)
    throw new MalformedNote('not a valid checkpoint');
  return { origin, size: Number(size), root };
}

/** A hash from base64. Null for any other text. */
function hashOrNull(encoded: string): Hash | null {
  return BASE64.test(encoded) ? fromBase64(encoded) : null;
}

/** @throws {MalformedNote} */
export function hashFromText(encoded: string): Hash {
  const hash = hashOrNull(encoded);
  if (hash === null) throw new MalformedNote('not a valid hash');
  return hash;
}
