import { isStoreError } from '@svc/contracts';
import type { Fault } from './ledger-words.ts';

/** What an error says of damage to a store; null where it is another error. */
export function damageIn(error: unknown): Fault | null {
  // What a store keeps as JSON, and is none.
  if (error instanceof SyntaxError) return { why: 'damaged', what: 'it contains invalid JSON' };
  if (!isStoreError(error) || !(error.code === 'DAMAGED' || error.code === 'CHAIN')) return null;
  const { message: what, damaged_seqs: seqs } = error;
  return seqs === null ? { why: 'damaged', what } : { why: 'damaged', what, seq: seqs.from, through: seqs.through };
}
