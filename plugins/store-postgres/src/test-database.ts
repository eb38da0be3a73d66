import { randomUUID } from 'node:crypto';
import type { Clock, Logger } from '@svc/sdk';
import type { StoreAccess } from '@svc/sdk/store';
import { fakeLogger } from '@svc/sdk/testing';
import pg from 'pg';
import { PostgresStore } from './postgres-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL server on which tests may create databases. */
    readonly postgres: string;
  }
}

const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** A separate connection for a test. */
export async function connectionTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // Handles errors of an idle connection.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Runs a statement on its own connection. */
export async function sql<R extends pg.QueryResultRow>(url: string, text: string, values: readonly unknown[] = []): Promise<R[]> {
  const client = await connectionTo(url);
  try {
    return (await client.query<R>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Runs a statement and keeps its locks until they are released. */
export async function hold(url: string, text: string): Promise<{ release: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  await client.query(text);
  return { release: () => client.end() };
}

/** Creates an empty database on the server at `url`. Returns its URL and a function that drops it. */
export async function temporaryDatabase(url: string): Promise<{ url: string; remove: () => Promise<void> }> {
  const name = `svc_${randomUUID().replaceAll('-', '')}`;
  await sql(url, `CREATE DATABASE ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { url: own.href, remove: async () => void (await sql(url, `DROP DATABASE ${name} WITH (FORCE)`)) };
}

/** Empties the store's tables. Uses DELETE, because TRUNCATE would create a new file for each table and index. */
const EMPTY = `
  DO $$
  DECLARE name text;
  BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'svc' AND tablename NOT IN ('schema_version', 'head', 'counters') LOOP
      EXECUTE format('DELETE FROM svc.%I', name);
    END LOOP;
    UPDATE svc.head SET seq = 0, hash = '';
  END $$`;

/** Empties a database that has the store's tables, also under an open store. */
export async function emptied(url: string): Promise<void> {
  await sql(url, EMPTY);
}

/** Databases for the tests of one file. Each is emptied and used again, because creating one with its tables takes ten times as long. */
export class ReusedDatabases {
  readonly #server: string;
  readonly #all: Awaited<ReturnType<typeof temporaryDatabase>>[] = [];
  readonly #free: string[] = [];

  constructor(server: string) {
    this.#server = server;
  }

  /** Returns a database without tables, or one that was used before and emptied. Tests must not change anything outside the schema `svc`. */
  async take(): Promise<{ url: string; giveBack: () => Promise<void> }> {
    const url = this.#free.pop() ?? (await this.#made());
    return {
      url,
      giveBack: async () => {
        await sql(
          url,
          'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
        await emptied(url);
        this.#free.push(url);
      },
    };
  }

  async remove(): Promise<void> {
    for (const { remove } of this.#all) await remove();
  }

  async #made(): Promise<string> {
    const database = await temporaryDatabase(this.#server);
    this.#all.push(database);
    return database.url;
  }
}

/** Creates a user with these rights (`SELECT`, …) on the existing tables and no right to create tables. */
export async function userOf(url: string, rights: string): Promise<{ url: string; role: string; remove: () => Promise<void> }> {
  const role = `svc_${randomUUID().replaceAll('-', '')}`;
  await sql(url, `CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  await sql(url, `GRANT USAGE ON SCHEMA svc TO ${role}`);
  await sql(url, `GRANT ${rights} ON ALL TABLES IN SCHEMA svc TO ${role}`);
  const as = new URL(url);
  as.username = role;
  as.password = 'secret';
  const remove = async (): Promise<void> => {
    await sql(url, `DROP OWNED BY ${role} CASCADE`);
    await sql(url, `DROP ROLE ${role}`);
  };
  return { url: as.href, role, remove };
}

export interface OpenOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Milliseconds added to the database's clock for leases. */
  readonly ahead?: () => number;
  readonly access?: StoreAccess;
}

export async function openStore(
  url: string,
  { clock = systemClock, logger = fakeLogger(), ahead, access = 'serve' }: OpenOptions = {},
): Promise<PostgresStore> {
  const store = new PostgresStore({ url, connections: 4 }, { clock, logger }, ahead);
  await store.open(access);
  return store;
}
