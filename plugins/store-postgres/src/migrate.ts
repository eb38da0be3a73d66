import { setTimeout } from 'node:timers/promises';
import type { Logger } from '@svc/sdk';
import { StoreError } from '@svc/sdk/store';
import type pg from 'pg';
import { isPassing, reasonOf } from './database-error.ts';
import type { DatabaseUrl } from './database-url.ts';
import { MIGRATIONS } from './migrations.ts';
import { refuseUnsafe, warnOfRisks } from './safe-settings.ts';
import { closeSession, openSession } from './session.ts';

/** An arbitrary number for the advisory lock that replicas take in turn when they start together. */
export const MIGRATION_LOCK = 7_305_809_110;
/** A replica that stops while holding the lock blocks the others for at most this long. */
const MAX_IDLE_MS = 10_000;
/** Other replicas may come first, but a network that drops everything must not block the start forever. */
const MAX_SILENCE_MS = 60_000;
/** Polling interval for the lock. */
const LOCK_ASK_EVERY_MS = 100;
const KNOWN = MIGRATIONS.length;

/**
 * Creates the tables, or migrates them to the current version. If they are current, writes nothing, so the user needs no right to create tables.
 * @throws {StoreError} `SCHEMA`, `OPEN`, `UNREACHABLE`
 */
export async function migrate(database: DatabaseUrl, logger: Logger, max_silence_ms = MAX_SILENCE_MS): Promise<void> {
  await inSession(database, 'write', max_silence_ms, async (client) => {
    warnOfRisks(await refuseUnsafe(client), logger);
    const found = await versionOf(client);
    if (found === KNOWN) return;
    if (found !== null) logger.info({ event: 'store_upgrading' });
    await keepWhileIdle(client);
    await takeLock(client, max_silence_ms);
    await bringUpToDate(client, database);
  });
}

/**
 * Checks that the tables exist and are current. Changes nothing.
 * @throws {StoreError} `SCHEMA`, `OPEN`, `UNREACHABLE`
 */
export async function assertMigrated(database: DatabaseUrl): Promise<void> {
  await inSession(database, 'read', MAX_SILENCE_MS, async (client) => {
    const found = await versionOf(client);
    if (found === KNOWN) return;
    if (found === null) throw new StoreError('OPEN', 'the database is not a runs-db; nothing was created');
    throw new StoreError(
      'SCHEMA',
      `the database was written by an older version (schema ${found}; this version supports ${KNOWN}): use that version, or run svc serve once to upgrade the database`,
    );
  });
}

async function inSession(
  database: DatabaseUrl,
  access: 'read' | 'write',
  max_silence_ms: number | null,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = await openSession(database, access, MAX_IDLE_MS, max_silence_ms).catch((error: unknown) => {
    throw cannotOpen(error);
  });
  try {
    await work(client);
  } catch (error) {
    throw error instanceof StoreError ? error : cannotOpen(error);
  } finally {
    await closeSession(client);
  }
}

/**
 * Null if the tables do not exist.
 * @throws {StoreError} `SCHEMA` if they are newer, or belong to another program
 */
async function versionOf(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ made: boolean; foreign: boolean }>(
    `SELECT to_regclass('svc.schema_version') IS NOT NULL AS made,
       to_regclass('svc.schema_version') IS NULL
         AND EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace('svc')) AS foreign`,
  );
  if (rows[0]?.foreign === true) {
    throw new StoreError('SCHEMA', 'the schema svc in this database belongs to another program: use another database');
  }
  if (rows[0]?.made !== true) return null;
  const { rows: versions } = await client.query<{ version: number }>('SELECT version FROM svc.schema_version');
  const found = versions[0]?.version ?? 0;
  if (found > KNOWN) {
    throw new StoreError(
      'SCHEMA',
      `the database was written by a newer version (schema ${found}; this version supports ${KNOWN}): start the version that wrote it. To use this version, restore a backup made before the upgrade`,
    );
  }
  return found;
}

/** The session that holds the lock is idle while another one builds indexes. A server's idle limit would end it and release the lock. */
async function keepWhileIdle(client: pg.Client): Promise<void> {
  // Servers before version 14 have no such limit.
  await client.query(`SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'`);
}

/**
 * Polls instead of waiting in one statement. CREATE INDEX CONCURRENTLY waits for all earlier statements to end, so a waiting one would cause a
 * deadlock. The lock is released when the session ends.
 */
async function takeLock(client: pg.Client, max_silence_ms: number): Promise<void> {
  const until = performance.now() + max_silence_ms;
  while (performance.now() < until) {
    const { rows } = await client.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock(${MIGRATION_LOCK}) AS taken`);
    if (rows[0]?.taken === true) return;
    await setTimeout(Math.min(LOCK_ASK_EVERY_MS, max_silence_ms));
  }
  throw refusal('55P03');
}

/** Checked again under the lock, because another replica may have migrated. */
async function bringUpToDate(client: pg.Client, database: DatabaseUrl): Promise<void> {
  const found = await versionOf(client);
  if (found === KNOWN) return;
  for (const [version, migration] of [...MIGRATIONS.entries()].slice(found ?? 0)) {
    if (typeof migration === 'string') {
      await client.query('BEGIN');
      if (found === null && version === 0) await makeSchema(client);
      await client.query(migration);
      await setVersion(client, version + 1);
      await client.query('COMMIT');
    } else {
      // On a large table, this takes minutes without any data from the server.
      await inSession(database, 'write', null, async (patient) => {
        for (const statement of migration) await patient.query(statement);
      });
      await setVersion(client, version + 1);
    }
  }
}

async function makeSchema(client: pg.Client): Promise<void> {
  // An administrator may have created the schema for a user who has no right to do so.
  const { rows } = await client.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'svc'`);
  if (rows.length === 0) await client.query('CREATE SCHEMA svc');
  await client.query(
    'CREATE TABLE svc.schema_version (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL)',
  );
}

async function setVersion(client: pg.Client, version: number): Promise<void> {
  await client.query('INSERT INTO svc.schema_version (version) VALUES ($1) ON CONFLICT (one) DO UPDATE SET version = $1', [
    version,
  ]);
}

/** Remedies by SQLSTATE, system error or OpenSSL error name. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['28P01', 'check the user name and password (PGPASSWORD and ~/.pgpass are used too)'],
  ['28000', 'check the user name and password (PGPASSWORD and ~/.pgpass are used too)'],
  ['3D000', 'create that database'],
  [
    '42501',
    'grant the user the right to create a schema (GRANT CREATE ON DATABASE), or rights on the schema and its tables if another user creates them',
  ],
  ['55P03', 'another gateway that is starting, or an administrator, holds a lock on the tables: check pg_locks'],
  ['ENOENT', 'a file named in sslrootcert, sslcert or sslkey does not exist'],
]);
const CERTIFICATE = /CERT|SIGNED|ISSUER|SIGNATURE|ALTNAME/;
/** A message of the driver without a code. */
const NO_TLS = 'The server does not support SSL connections';

function cannotOpen(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return refusal(reasonOf(error), error);
}

function refusal(reason: string, cause?: unknown): StoreError {
  const remedy =
    REMEDIES.get(reason) ??
    (CERTIFICATE.test(reason)
      ? `the server's certificate is not valid for this host, or its issuer is not trusted: set sslrootcert to the CA's file`
      : cause instanceof Error && cause.message === NO_TLS
        ? 'the server does not support TLS: enable ssl there, or set sslmode=disable'
        : 'check that the server is running and reachable');
  return new StoreError(isPassing(cause) ? 'UNREACHABLE' : 'OPEN', `the database cannot be opened (${reason}): ${remedy}`, {
    cause,
  });
}
