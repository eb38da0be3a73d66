import { hash } from 'node:crypto';

/** The ids of tool calls that the API takes. */
const TAKEN = /^[a-zA-Z0-9_-]+$/;

/**
 * A tool call's id as the API takes it: its own where it can be, else a digest. Other vendors' ids may have any character. A call and its
 * result get the same one, in every later turn too.
 */
export function callId(id: string): string {
  // As JSON, since UTF-8 would make every lone surrogate the same.
  return TAKEN.test(id) ? id : `call_${hash('sha256', JSON.stringify(id), 'base64url')}`;
}
