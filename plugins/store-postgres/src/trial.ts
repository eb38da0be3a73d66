import { randomBytes } from 'node:crypto';
import type { Transaction } from './connections.ts';

/**
 * Lengths of a record that is stored in the table's pages and of one stored in TOAST pages. The content is random, because compressed data would take
 * no space.
 */
const IN_LINE = { rows: 16, bytes: 1_400 };
const OUT_OF_LINE_BYTES = 48 * 1024;
/** A run id that does not exist. */
const TRIAL = 'trial';

/**
 * Writes like a commit, so that it fails if a commit would, then rolls back. A transaction without new rows would succeed even on a full disk. The
 * allocated pages are used for later rows, until the tables are vacuumed.
 */
export async function tryDisk(tx: Transaction): Promise<void> {
  const texts = [...Array(IN_LINE.rows).fill(IN_LINE.bytes), OUT_OF_LINE_BYTES].map((bytes) =>
    randomBytes(bytes).toString('base64'),
  );
  await tx.query('begin-trial', 'SAVEPOINT trial', []);
  await tx.query(
    'trial',
    `WITH trial AS (SELECT text, n::text AS n FROM unnest($1::text[]) WITH ORDINALITY AS t (text, n)),
       written AS (
         INSERT INTO svc.run (run_id, created_at, status, route, principal_id, owner, body)
         SELECT $2 || n, '', $2, $2, $2, $2, text FROM trial
       ), kept AS (
         INSERT INTO svc.content (run_id, name, bytes, expires_at) SELECT $2, n, convert_to(text, 'UTF8'), 0 FROM trial
       )
     INSERT INTO svc.ledger (seq, hash, record_type, model_id, bytes) SELECT -n::bigint, '', $2, $2, text FROM trial`,
    [texts, TRIAL],
  );
  // Rolled back instead of undone with DELETE, because a careful administrator grants only INSERT on the ledger.
  await tx.query('end-trial', 'ROLLBACK TO SAVEPOINT trial', []);
}
