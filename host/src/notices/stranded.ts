import { randomUUID } from 'node:crypto';
import { type Clock, errorName, type Logger, type Store } from '@svc/contracts';
import { countOf } from './notice.ts';
import { EMPTY, type Outbox } from './outbox.ts';
import { outboxKey } from './receiver-keys.ts';

/**
 * The keys of all receivers that may have unsent notices, because a store cannot list its keys. Removed ones stay: a gateway with the previous
 * configuration may still add to their notices.
 */
const INDEX = 'notices';
/** After this time, the notices would be dropped anyway, so they are not reported at the next start. */
const KEEP_MS = 86_400_000;
/** Workers and gateways over one store start together. The first one to take this lease warns, the others do not. It is never released. */
const LEASE = 'notices-stranded';
const LEASE_MS = 60_000;

interface StrandedDeps {
  readonly store: Pick<Store, 'readMeta' | 'writeMeta' | 'acquireLease'>;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Warns, once for processes that start together, about unsent notices of receivers that are no longer configured, and keeps a list of receivers for the next start. */
export async function reportStranded(configured: readonly string[], { store, logger, clock }: StrandedDeps): Promise<void> {
  const warn = (receiver: string, occurrences: number): void =>
    logger.warn({ event: 'notices_stranded', target: receiver.split('/')[0], occurrences });
  try {
    for (;;) {
      const text = await store.readMeta(INDEX);
      if (text === null && configured.length === 0) return;
      const listed: string[] = text === null ? [] : JSON.parse(text);
      const removed = listed.filter((receiver) => !configured.includes(receiver));
      const unsent = await Promise.all(removed.map(async (receiver) => ({ receiver, ...(await unsentOf(receiver, store)) })));
      const kept = unsent.filter(({ since }) => since + KEEP_MS > clock.now()).map(({ receiver }) => receiver);
      const list = JSON.stringify([...configured, ...kept].toSorted());
      if (list !== text && !(await store.writeMeta(INDEX, text, list))) continue;
      const stranded = unsent.filter(({ occurrences }) => occurrences > 0);
      if (stranded.length === 0 || (await store.acquireLease(LEASE, randomUUID(), LEASE_MS)) === null) return;
      for (const { receiver, occurrences } of stranded) warn(receiver, occurrences);
      return;
    }
  } catch (error) {
    logger.warn({ event: 'notices_failed', reason: errorName(error) });
  }
}

/** @returns the number of unsent occurrences, and when the oldest occurred (Infinity: there is none) */
async function unsentOf(receiver: string, store: StrandedDeps['store']): Promise<{ occurrences: number; since: number }> {
  const text = await store.readMeta(outboxKey(receiver));
  const { groups, sending }: Outbox = text === null ? EMPTY : JSON.parse(text);
  const all = [...groups, ...(sending?.groups ?? [])];
  return { occurrences: countOf({ groups: all }), since: Math.min(...all.map(({ since }) => since)) };
}
