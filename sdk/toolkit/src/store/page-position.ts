import { BadCursor } from '@svc/contracts';
import { isStoreName } from './store-names.ts';

/** The last row of a page of runs. */
export type PagePosition = [created_at: string, run_id: string];

/** Encodes a position as an opaque cursor for callers. */
export function encodePosition(position: PagePosition): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** @throws {BadCursor} */
export function decodePosition(cursor: string): PagePosition {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parsed) && parsed.length === 2) {
      const [created_at, run_id]: unknown[] = parsed;
      if (typeof created_at === 'string' && typeof run_id === 'string' && isStoreName(created_at) && isStoreName(run_id)) {
        return [created_at, run_id];
      }
    }
  } catch {
    // It is not a cursor of this store.
  }
  throw new BadCursor('this cursor was not issued by this store');
}
