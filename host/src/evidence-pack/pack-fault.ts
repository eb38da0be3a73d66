import { MalformedNote } from '@svc/ledger';
import { InvalidTimestamp } from '../timestamps/invalid-timestamp.ts';

/** A part of a pack is wrong. The message names the file. */
export class PackFault extends Error {
  override readonly name = 'PackFault';
}

/** What is wrong with a part, in one line. */
export function faultIn(error: unknown): string {
  if (error instanceof PackFault || error instanceof MalformedNote || error instanceof InvalidTimestamp) return error.message;
  if (error instanceof SyntaxError) return `not valid JSON: ${error.message}`;
  if (error instanceof Error && 'syscall' in error && 'code' in error)
    return `cannot read ${'path' in error ? error.path : 'one of the files'} (${error.code})`;
  // Others chose the bytes. If the code fails on them, nothing is proven.
  return `the check failed: ${String(error)}`;
}
