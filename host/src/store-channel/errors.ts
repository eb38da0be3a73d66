import { BadCursor, isStoreError, StoreError } from '@svc/contracts';
import type { CrossingError } from './messages.ts';

/** An error in the form in which it is sent over the channel, without stack and cause. */
export function crossing(error: unknown): CrossingError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (isStoreError(error)) return { kind: 'store', code: error.code, message, damaged_seqs: error.damaged_seqs };
  return name === 'BadCursor' ? { kind: 'cursor', message } : { kind: 'other', name, message };
}

export function crossed(error: CrossingError): Error {
  switch (error.kind) {
    case 'store':
      return new StoreError(error.code, error.message, error.damaged_seqs === null ? {} : { damaged_seqs: error.damaged_seqs });
    case 'cursor':
      return new BadCursor(error.message);
    case 'other':
      return Object.assign(new Error(error.message), { name: error.name });
  }
}
