import { StoreError } from '@svc/sdk/plugin';
import type pg from 'pg';
import { reasonOf } from './database-error.ts';
import { MIGRATIONS } from './migrations.ts';
import { closeSession, openSession } from './session.ts';

/** Any number that no other program uses: replicas that start together take this lock one after another. */
const MIGRATION_LOCK = 7_305_809_110;
/** One that is stopped meanwhile does not keep the others waiting for longer. */
const MOST_IDLE_MS = 10_000;
/** Others that start may be ahead in the line; a network that swallows everything must not keep a start for ever. */
const MOST_SILENCE_MS = 60_000;

/** @throws {StoreError} `SCHEMA`, `OPEN` */
export async function migrate(url: string): Promise<void> {
  const client = await openSession(url, MOST_IDLE_MS, MOST_SILENCE_MS).catch((error: unknown) => {
    throw cannotOpen(error);
  });
  try {
    await refuseUnsafe(client);
    await client.query('BEGIN');
    await client.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    await bringUpToDate(client);
    await client.query('COMMIT');
  } catch (error) {
    throw error instanceof StoreError ? error : cannotOpen(error);
  } finally {
    await closeSession(client);
  }
}

async function bringUpToDate(client: pg.Client): Promise<void> {
  const known = MIGRATIONS.length;
  await refuseForeign(client);
  await client.query(`CREATE SCHEMA IF NOT EXISTS svc`);
  await client.query(`CREATE TABLE IF NOT EXISTS svc.schema_version (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL)`);
  const { rows } = await client.query<{ version: number }>('SELECT version FROM svc.schema_version');
  const found = rows[0]?.version ?? 0;
  if (found > known) {
    throw new StoreError(
      'SCHEMA',
      `the database was written by a newer version (schema ${found}, this one knows ${known}): install that version`,
    );
  }
  if (found === known) return;
  for (const sql of MIGRATIONS.slice(found)) await client.query(sql);
  await client.query('INSERT INTO svc.schema_version (version) VALUES ($1) ON CONFLICT (one) DO UPDATE SET version = $1', [
    known,
  ]);
}

/** A schema of this name that another program made. */
async function refuseForeign(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ foreign: boolean }>(
    `SELECT to_regclass('svc.schema_version') IS NULL
       AND EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace('svc')) AS foreign`,
  );
  if (rows[0]?.foreign === true) {
    throw new StoreError('SCHEMA', 'the database has a schema svc of another program: use another database');
  }
}

/** Settings under which a commit that was acknowledged could be lost, or text come back otherwise than it was sealed. */
async function refuseUnsafe(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Record<string, string>>(
    `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
            current_setting('server_encoding') AS encoding, pg_is_in_recovery()::text AS standby`,
  );
  const { fsync, synchronous_commit, encoding, standby } = rows[0] ?? {};
  const refuse = (what: string, remedy: string): never => {
    throw new StoreError('OPEN', `the database cannot keep evidence: ${what}; ${remedy}`);
  };
  if (fsync === 'off') refuse('fsync is off', 'turn it on in postgresql.conf');
  if (synchronous_commit === 'off') refuse('synchronous_commit is off', 'ALTER ROLE … SET synchronous_commit = on');
  if (encoding !== 'UTF8') refuse(`its encoding is ${encoding}`, 'use a database with ENCODING UTF8');
  if (standby === 'true') refuse('it is a standby', 'name the primary');
}

function cannotOpen(error: unknown): StoreError {
  const reason = reasonOf(error);
  const remedy =
    reason === '28P01' || reason === '28000'
      ? 'check user and password (PGPASSWORD or ~/.pgpass are read too)'
      : reason === '3D000'
        ? 'create that database'
        : reason === '42501'
          ? 'the user needs the right to create a schema: GRANT CREATE ON DATABASE'
          : 'check that it runs and may be reached from here';
  return new StoreError('OPEN', `the database cannot be opened (${reason}): ${remedy}`, { cause: error });
}
