import type { Segment } from '@svc/contracts';

/** A text that belongs to no run, as a message of a user: what the `scan` of a guard searches. */
export function loneText(text: string): Segment {
  return { index: 0, text, kind: 'text', role: 'user', path: 'text', choice: null, origin: 'user', untrusted: false };
}
