import { randomUUID } from 'node:crypto';
import { commitSealed, createRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { MIGRATIONS } from './migrations.ts';
import { hold, openStore, sql, temporaryDatabase } from './test-database.ts';

let server: string;
let url: string;
let remove: () => Promise<void>;

beforeEach(async () => {
  server = inject('postgres');
  ({ url, remove } = await temporaryDatabase(server));
});
afterEach(() => remove());

/** Everything in a database, as the catalogue shows it. */
async function shapeOf(database: string): Promise<object[]> {
  return sql(
    database,
    `SELECT 'column' AS kind, c.relname AS name, a.attname AS part,
            format_type(a.atttypid, a.atttypmod) || coalesce(' COLLATE ' || l.collname, '') || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
              || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') AS definition
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       LEFT JOIN pg_collation l ON l.oid = a.attcollation LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
       WHERE c.relkind = 'r' AND c.relnamespace = to_regnamespace('svc')
     UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'svc'
     UNION ALL SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
       FROM pg_constraint WHERE connamespace = to_regnamespace('svc')
     UNION ALL SELECT 'other', relname, relkind::text, '' FROM pg_class
       WHERE relkind NOT IN ('r', 'i') AND relnamespace IN (to_regnamespace('svc'), to_regnamespace('public'))
     UNION ALL SELECT 'public', relname, relkind::text, '' FROM pg_class WHERE relnamespace = to_regnamespace('public')
     ORDER BY 1, 2, 3, 4`,
  );
}

/** Leaves a database as a release of that version left it. */
async function makeVersion(database: string, version: number): Promise<void> {
  const steps = [
    'CREATE SCHEMA svc',
    'CREATE TABLE svc.schema_version (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL)',
    ...MIGRATIONS.slice(0, version).flat(),
  ];
  for (const step of steps) await sql(database, step);
  if (version > 0) await sql(database, 'INSERT INTO svc.schema_version (version) VALUES ($1)', [version]);
}

async function withRole(attributes: string, action: (as: string, role: string) => Promise<void>): Promise<void> {
  const role = `svc_${randomUUID().replaceAll('-', '')}`;
  await sql(server, `CREATE ROLE ${role} LOGIN PASSWORD 'secret' ${attributes}`);
  const as = new URL(url);
  as.username = role;
  as.password = 'secret';
  try {
    await action(as.href, role);
  } finally {
    await sql(url, `DROP OWNED BY ${role} CASCADE`);
    await sql(server, `DROP ROLE ${role}`);
  }
}

/** For a test's own connections, which may be idle for a while before they are used. */
function withoutIdleTimeout(of: string): string {
  const own = new URL(of);
  own.searchParams.set('options', '-c idle_session_timeout=0');
  return own.href;
}

describe('opening', () => {
  test.each([2, 8])('%i stores at once on an empty database make its tables once and seal one chain', async (count) => {
    const stores = await Promise.all(Array.from({ length: count }, () => openStore(url)));
    await Promise.all(stores.map((store) => commitSealed(store, [createRun(sampleRun()), createRun(sampleRun())])));
    for (const store of stores) expect(await verifiedChain(store)).toHaveLength(2 * count);
    expect(await sql(url, 'SELECT version FROM svc.schema_version')).toEqual([{ version: MIGRATIONS.length }]);
    for (const store of stores) await store.close();
  });

  test.each([...MIGRATIONS.keys(), MIGRATIONS.length])('brings version %i to what an empty database gets', async (version) => {
    const fresh = await temporaryDatabase(server);
    try {
      await (await openStore(fresh.url)).close();
      await makeVersion(url, version);
      await (await openStore(url)).close();
      const shape = await shapeOf(fresh.url);
      expect(await shapeOf(url)).toEqual(shape);
      expect(shape.length).toBeGreaterThan(50);
    } finally {
      await fresh.remove();
    }
  });

  test('keeps its lock while indexes are built, whatever the server sets for idle sessions', async () => {
    const version = MIGRATIONS.findIndex((migration) => typeof migration !== 'string');
    await makeVersion(url, version);
    await sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET idle_session_timeout = '200ms'`);
    // An index cannot be built concurrently while an earlier transaction is open.
    const own = withoutIdleTimeout(url);
    const open = await hold(own, 'UPDATE svc.run SET status = status');
    const opening = openStore(url);
    opening.catch(() => undefined);
    const waits = `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%CONCURRENTLY%' AND wait_event_type = 'Lock'
      AND datname = current_database() AND now() - query_start > interval '1 s'`;
    while ((await sql(own, waits)).length === 0);
    await open.release();
    await (await opening).close();
    expect(await sql(own, 'SELECT version FROM svc.schema_version')).toEqual([{ version: MIGRATIONS.length }]);
  });

  test('again changes nothing', async () => {
    const first = await openStore(url);
    await commitSealed(first, [createRun(sampleRun())]);
    await first.close();
    const before = await shapeOf(url);
    const again = await openStore(url);
    expect(await verifiedChain(again)).toHaveLength(1);
    await again.close();
    expect(await shapeOf(url)).toEqual(before);
  });

  test('refuses a database of a newer version, and leaves it unchanged', async () => {
    await makeVersion(url, MIGRATIONS.length);
    await sql(url, 'ALTER TABLE svc.run ADD COLUMN of_a_later_version text');
    await sql(url, 'UPDATE svc.schema_version SET version = version + 1');
    const before = await shapeOf(url);
    await expect(openStore(url)).rejects.toMatchObject({ name: 'StoreError', code: 'SCHEMA' });
    expect(await shapeOf(url)).toEqual(before);
    expect(await sql(url, 'SELECT version FROM svc.schema_version')).toEqual([{ version: MIGRATIONS.length + 1 }]);
  });

  test('next to another program changes nothing of that program', async () => {
    await sql(url, 'CREATE TABLE run (run_id text)');
    await sql(url, `INSERT INTO run VALUES ('theirs')`);
    const store = await openStore(url);
    await commitSealed(store, [createRun(sampleRun())]);
    await store.close();
    expect(await sql(url, 'SELECT * FROM public.run')).toEqual([{ run_id: 'theirs' }]);
    const inPublic = (await shapeOf(url)).filter((row) => 'kind' in row && row.kind === 'public');
    expect(inPublic).toEqual([{ kind: 'public', name: 'run', part: 'r', definition: '' }]);
  });

  test.each([['CREATE TABLE svc.run (id integer)'], ['CREATE VIEW svc.things AS SELECT 1 AS one']])(
    'refuses a schema svc of another program, and leaves it unchanged: %s',
    async (statement) => {
      await sql(url, 'CREATE SCHEMA svc');
      await sql(url, statement);
      const before = await shapeOf(url);
      await expect(openStore(url)).rejects.toMatchObject({ name: 'StoreError', code: 'SCHEMA' });
      expect(await shapeOf(url)).toEqual(before);
    },
  );

  test('accepts an empty schema svc, which an administrator may have created', async () => {
    await sql(url, 'CREATE SCHEMA svc');
    await (await openStore(url)).close();
    expect(await sql(url, 'SELECT version FROM svc.schema_version')).toEqual([{ version: MIGRATIONS.length }]);
  });
});

describe('a database that cannot keep evidence is refused, and nothing is created in it:', () => {
  const refuses = async (at: string, word: string, database = url): Promise<void> => {
    await expect(openStore(at)).rejects.toMatchObject({
      name: 'StoreError',
      code: 'OPEN',
      message: expect.stringContaining(word),
    });
    expect(await shapeOf(database)).toEqual([]);
  };

  test('synchronous_commit off for the database', async () => {
    await sql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
    await refuses(url, 'synchronous_commit');
  });

  test('synchronous_commit off for the role, until it is on again', async () => {
    await withRole('', async (as, role) => {
      await sql(url, `GRANT CREATE ON DATABASE ${new URL(url).pathname.slice(1)} TO ${role}`);
      await sql(url, `ALTER ROLE ${role} SET synchronous_commit = off`);
      await refuses(as, 'synchronous_commit');
      for (const mode of ['local', 'on']) {
        await sql(url, `ALTER ROLE ${role} SET synchronous_commit = ${mode}`);
        await (await openStore(as)).close();
      }
    });
  });

  test.each(['SQL_ASCII', 'LATIN1'])('encoding %s', async (encoding) => {
    const name = `svc_${randomUUID().replaceAll('-', '')}`;
    await sql(server, `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
    const own = new URL(server);
    own.pathname = `/${name}`;
    try {
      await refuses(own.href, 'encoding', own.href);
    } finally {
      await sql(server, `DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  test('a user who may not create a schema', async () => {
    await withRole('', (as) => refuses(as, '42501'));
  });

  test('a wrong password, a database that is not there, a server that is not there', async () => {
    await withRole('', async (as) => {
      const wrong = new URL(as);
      wrong.password = 'wrong';
      await refuses(wrong.href, 'password');
      const missing = new URL(as);
      missing.pathname = '/svc_is_not_there';
      await refuses(missing.href, '3D000');
      const nobody = new URL(as);
      nobody.port = '9';
      const found = openStore(nobody.href);
      await expect(found).rejects.toMatchObject({ code: 'UNREACHABLE', message: expect.stringContaining('ECONNREFUSED') });
      await expect(found).rejects.not.toMatchObject({ message: expect.stringContaining('secret') });
    });
  });
});
