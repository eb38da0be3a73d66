import { createHash } from 'node:crypto';
import type { Continued, History, Link } from '@svc/kernel/ports';

/** Maximum number of runs that keep parts of one request. To continue the request, each must be read. */
export const MAX_LINKS = 32;

/** A run, and how many of its messages are continued, counted from the first. */
export interface Reference {
  readonly run_id: string;
  readonly count: number;
}

/** `messages`: all messages of the request, before guards edit them. */
export function historyOf({ run_id, at, links }: Continued, messages: readonly unknown[]): History {
  const length = links.at(-1)?.reach ?? 0;
  // The last answer has a digest of its own, because guards often edit only that message.
  const ends = [...new Set([...links.map(({ reach }) => reach), length - 1, length])].filter((end) => end > 0);
  ends.sort((a, b) => a - b);
  const pieces = ends.map((end, i) => ({ end, ...printOf(messages.slice(at + (ends[i - 1] ?? 0), at + end)) }));
  return { run_id, at, links, pieces };
}

/** The part of the history that guards have left unchanged. It has no links if everything changed. */
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
 * Where the unchanged messages are kept, so that they need not be stored again. Null: the whole request is stored. Usually this is the run that the
 * request continues. If that would take too many links, it is an earlier run that keeps at least twice as much as must be stored again. So a message
 * is stored only a few times, however long the conversation is.
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
