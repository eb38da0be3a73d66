import { hash } from 'node:crypto';

/** Ids of tool calls that the API accepts. */
const TAKEN = /^[a-zA-Z0-9_-]+$/;

/**
 * The id of a tool call for the API: unchanged if it is accepted, else a digest, since ids of other vendors may contain any character. A
 * call and its result get the same id, in every later turn too.
 */
export function callId(id: string): string {
  // As JSON, since UTF-8 maps all lone surrogates to one character.
  return TAKEN.test(id) ? id : `call_${hash('sha256', JSON.stringify(id), 'base64url')}`;
}
