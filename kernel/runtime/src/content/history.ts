import { createHash } from 'node:crypto';
import type { Continued, History, Link } from '@svc/kernel/ports';

/** Runs that one request is kept in, at most: each is read to continue it. */
export const MAX_LINKS = 32;

/** The first `count` messages that `run_id` is continued with. */
export interface Reference {
  readonly run_id: string;
  readonly count: number;
}

/** `messages`: the whole request's, as nobody has changed them yet. */
export function historyOf({ run_id, at, links }: Continued, messages: readonly unknown[]): History {
  const length = links.at(-1)?.reach ?? 0;
  // The last answer is apart: guards often change that one alone.
  const ends = [...new Set([...links.map(({ reach }) => reach), length - 1, length])].filter((end) => end > 0);
  ends.sort((a, b) => a - b);
  const pieces = ends.map((end, i) => ({ end, ...printOf(messages.slice(at + (ends[i - 1] ?? 0), at + end)) }));
  return { run_id, at, links, pieces };
}

/** What is still as it was before guards looked at it: its links, none where nothing is. */
export function unchanged({ run_id: continues, at, links, pieces }: History, messages: readonly unknown[]): Continued {
  let kept = 0;
  for (const { end, digest } of pieces) {
    if (printOf(messages.slice(at + kept, at + end)).digest !== digest) break;
    kept = end;
  }
  const left = kept === 0 ? [] : links.map(({ run_id, reach }) => ({ run_id, reach: Math.min(reach, kept) }));
  return { run_id: continues, at, links: left };
}

/**
 * Where the messages that are unchanged are kept, so that a request need not repeat them; null: it is kept whole. It refers to the run that it
 * continues. Where the links would be too many, it refers further back and repeats what they hold: to a run that holds twice as much, so that
 * a message is repeated a few times at most, however long a conversation gets.
 */
export function referenceTo(history: History, messages: readonly unknown[]): Reference | null {
  const { links } = unchanged(history, messages);
  const last = links.at(-1);
  if (last === undefined) return null;
  if (links.length < MAX_LINKS) return { run_id: last.run_id, count: last.reach };
  const sizeTo = (reach: number): number => history.pieces.reduce((sum, { end, size }) => (end <= reach ? sum + size : sum), 0);
  const all = sizeTo(Number.POSITIVE_INFINITY);
  const holdsTwice = ({ reach }: Link, i: number): boolean => {
    const held = sizeTo(reach);
    return i < MAX_LINKS / 2 && held - sizeTo(links[i - 1]?.reach ?? 0) >= 2 * (all - held);
  };
  const back = links.findLast(holdsTwice);
  return back === undefined ? null : { run_id: back.run_id, count: back.reach };
}

function printOf(messages: readonly unknown[]): { digest: string; size: number } {
  const hash = createHash('sha256');
  let size = 0;
  for (const message of messages) {
    const json = JSON.stringify(message);
    size += json.length;
    hash.update(json);
  }
  return { digest: hash.digest('base64'), size };
}
