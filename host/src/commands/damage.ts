import { isStoreError } from '@svc/contracts';
import type { Fault } from './ledger-words.ts';

/** The damage to a store that an error reports. Null for other errors. */
export function damageIn(error: unknown): Fault | null {
  // Stored JSON cannot be parsed.
  if (error instanceof SyntaxError) return { why: 'damaged', what: 'it contains invalid JSON' };
  if (!isStoreError(error) || !(error.code === 'DAMAGED' || error.code === 'CHAIN')) return null;
  const { message: what, damaged_seqs: seqs } = error;
  return seqs === null ? { why: 'damaged', what } : { why: 'damaged', what, seq: seqs.from, through: seqs.through };
}
