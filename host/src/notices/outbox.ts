import type { NoticeEvent } from '../config/index.ts';
import { Groups } from './groups.ts';
import type { Notice, NoticeGroup } from './notice.ts';

/** The undelivered occurrences and messages of a receiver. It is stored: every process adds to it, and one of them sends. */
export interface Outbox {
  readonly groups: readonly NoticeGroup[];
  /** The message that is being delivered; null: none. */
  readonly sending: Notice | null;
  /** Time of the last message about each event, in milliseconds since the epoch. */
  readonly sent: Readonly<Partial<Record<NoticeEvent, number>>>;
}

export const EMPTY: Outbox = { groups: [], sending: null, sent: {} };

/** A message waits this long for more occurrences, so that a burst is one message. */
const SETTLE_MS = 2_000;

export function withGroups(outbox: Outbox, added: readonly NoticeGroup[]): Outbox {
  return { ...outbox, groups: new Groups([...outbox.groups, ...added]).list };
}

/**
 * Combines the due groups into one message. Changes nothing if none is due or a message is being delivered.
 * @param group_ms minimum time between two messages about an event
 */
export function withNext(outbox: Outbox, { id, now, group_ms }: { id: string; now: number; group_ms: number }): Outbox {
  const { groups, sending, sent } = outbox;
  // Setting the clock back delays nothing.
  const isPast = (time: number, wait_ms: number): boolean => time > now || time + wait_ms <= now;
  const settled = new Set(groups.filter(({ since }) => isPast(since, SETTLE_MS)).map(({ event }) => event));
  const due = new Set([...settled].filter((event) => isPast(sent[event] ?? 0, group_ms)));
  if (sending !== null || due.size === 0) return outbox;
  return {
    groups: groups.filter(({ event }) => !due.has(event)),
    sending: { id, at: now, groups: groups.filter(({ event }) => due.has(event)) },
    sent: { ...sent, ...Object.fromEntries([...due].map((event) => [event, now])) },
  };
}
