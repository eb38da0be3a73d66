import type { Lease } from '@svc/sdk/store';
import type { Connections } from './connections.ts';

/** The database's time. Replicas with different clocks must agree on when a lease expires. $1: milliseconds that tests add. */
const NOW = `(clock_timestamp() + $1 * interval '1 millisecond')`;

export async function acquireLease(
  db: Connections,
  ahead: number,
  name: string,
  holder: string,
  ttl_ms: number,
): Promise<Lease | null> {
  const [row] = await db.write<{ token: number }>(
    `INSERT INTO svc.lease AS l (name, holder, token, expires_at) VALUES ($2, $3, 1, ${NOW} + $4 * interval '1 millisecond')
     ON CONFLICT (name) DO UPDATE SET
       token = CASE WHEN l.holder = $3 AND l.expires_at > ${NOW} THEN l.token ELSE l.token + 1 END,
       holder = excluded.holder, expires_at = excluded.expires_at
     WHERE l.holder IS NULL OR l.holder = $3 OR l.expires_at <= ${NOW}
     RETURNING token`,
    [ahead, name, holder, ttl_ms],
  );
  return row === undefined ? null : { name, holder, token: row.token };
}

export async function releaseLease(db: Connections, { name, token }: Lease): Promise<void> {
  await db.write('UPDATE svc.lease SET holder = NULL WHERE name = $1 AND token = $2', [name, token]);
}

export async function leaseHolder(db: Connections, ahead: number, name: string): Promise<string | null> {
  const [row] = await db.read<{ holder: string | null }>(`SELECT holder FROM svc.lease WHERE name = $2 AND expires_at > ${NOW}`, [
    ahead,
    name,
  ]);
  return row?.holder ?? null;
}

export async function forgetLeases(db: Connections, ahead: number, prefix: string, lapsed_ms: number): Promise<number> {
  const gone = await db.write(
    `DELETE FROM svc.lease WHERE starts_with(name, $2) AND expires_at <= ${NOW} - $3 * interval '1 millisecond' RETURNING name`,
    [ahead, prefix, lapsed_ms],
  );
  return gone.length;
}

export async function databaseNow(db: Connections, ahead: number): Promise<number> {
  const [row] = await db.read<{ now: Date }>(`SELECT ${NOW} AS now`, [ahead]);
  if (row === undefined) throw new Error('the database did not return its time');
  return row.now.getTime();
}

/**
 * Moves a cursor. An expired lease counts until another process takes it over; a released one does not. Meanwhile the lease's row is locked, so that
 * nobody can take it over.
 */
export async function moveCursor(db: Connections, name: string, seq: number, lease: Lease): Promise<boolean> {
  const moved = await db.write(
    `WITH held AS (SELECT 1 FROM svc.lease WHERE name = $3 AND token = $4 AND holder IS NOT NULL FOR SHARE)
     INSERT INTO svc.cursor (name, seq) SELECT $1, $2 FROM held
     ON CONFLICT (name) DO UPDATE SET seq = excluded.seq RETURNING seq`,
    [name, seq, lease.name, lease.token],
  );
  return moved.length > 0;
}
