import type { ContentItem } from '@svc/sdk/store';
import type { Winner } from '@svc/toolkit/store';
import type { Transaction } from './connections.ts';

interface Place {
  readonly run_id: string;
  readonly name: string;
}

/** The final state of each item that the winning changes put or delete, in order. Null: deleted. */
function lastOfEach(winners: readonly Winner[]): (Place & { item: ContentItem | null })[] {
  const left = new Map<string, Place & { item: ContentItem | null }>();
  for (const { prepared } of winners) {
    const { run_id } = prepared.run;
    const leave = (name: string, item: ContentItem | null) => left.set(JSON.stringify([run_id, name]), { run_id, name, item });
    for (const name of prepared.change.drop_content) leave(name, null);
    for (const item of prepared.content) leave(item.name, item);
  }
  return [...left.values()];
}

/** Runs as part of a commit. */
export function writeContent(tx: Transaction, winners: readonly Winner[]): Promise<unknown>[] {
  const left = lastOfEach(winners);
  const gone = left.filter(({ item }) => item === null);
  const kept = left.flatMap(({ run_id, item }) => (item === null ? [] : [{ run_id, item }]));
  const writes: Promise<unknown>[] = [];
  if (gone.length > 0) {
    writes.push(
      tx.query(
        'drop-content',
        `DELETE FROM svc.content c USING unnest($1::text[], $2::text[]) AS g(run_id, name)
         WHERE c.run_id = g.run_id AND c.name = g.name`,
        [gone.map(({ run_id }) => run_id), gone.map(({ name }) => name)],
      ),
    );
  }
  if (kept.length > 0) {
    writes.push(
      tx.query(
        'put-content',
        `INSERT INTO svc.content (run_id, name, bytes, expires_at)
         SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bigint[])
         ON CONFLICT (run_id, name) DO UPDATE SET bytes = excluded.bytes, expires_at = excluded.expires_at`,
        [
          kept.map(({ run_id }) => run_id),
          kept.map(({ item }) => item.name),
          kept.map(({ item }) => Buffer.from(item.bytes)),
          kept.map(({ item }) => item.expires_at),
        ],
      ),
    );
  }
  return writes;
}
