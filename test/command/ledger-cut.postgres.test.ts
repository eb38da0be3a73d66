import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { svcHere } from '../harness/svc-here.ts';

const CHATS = 20;
const BROKEN = 4;

let url: string;
let remove: () => Promise<void>;
let gateway: TestGateway;
let client: pg.Client;
let folder: string;

beforeAll(async () => {
  ({ url, remove } = await temporaryDatabase(inject('postgres')));
  gateway = await TestGateway.start({ here: true, config: echoConfig(), args: ['--runs-db', url] });
  for (let n = 0; n < CHATS; n += 1) await gateway.chat('hello');
  await gateway.get('/v1/audit/ledger/checkpoint');
  await gateway.stop();
  client = new pg.Client({ connectionString: url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await gateway.dispose();
  await remove();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-cut-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** In the test process, without a child process. */
async function svc(...args: string[]) {
  const { status, stdout, stderr } = await svcHere([...args, '--json'], { cwd: folder, env: { SVC_ISOLATED: '1' } });
  return { status, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) };
}

/** Runs a command after these statements, and undoes them. */
async function after(statements: readonly string[], work: () => Promise<void>): Promise<void> {
  const tables = ['ledger', 'head', 'run', 'run_count', 'meta', 'cursor'];
  for (const table of tables) await client.query(`CREATE TABLE public.kept_${table} AS TABLE svc.${table}`);
  try {
    for (const statement of statements) await client.query(statement);
    await work();
  } finally {
    for (const table of tables) {
      await client.query(`TRUNCATE svc.${table}`);
      await client.query(`INSERT INTO svc.${table} SELECT * FROM public.kept_${table}`);
      await client.query(`DROP TABLE public.kept_${table}`);
    }
  }
}

const CUT = 'DELETE FROM svc.ledger WHERE seq > 10';
const SET_BACK = `UPDATE svc.head SET (seq, hash) = (SELECT seq, hash FROM svc.ledger ORDER BY seq DESC LIMIT 1)`;
const FORGET = `DELETE FROM svc.meta WHERE key LIKE 'ledger/checkpoint%' OR key LIKE 'tree/%'`;
const CUT_RUNS = `DELETE FROM svc.run WHERE ((body::jsonb)->'evidence'->>'seq')::int > 10`;

describe('a ledger in a database', () => {
  it('that is intact is reported as intact, and copied', async () => {
    expect(await svc('ledger', 'verify', url)).toMatchObject({ status: 3, records: CHATS + 1, fault: null });
    expect(await svc('backup', 'copy', '--runs-db', url)).toMatchObject({ status: 0, records: CHATS + 1, fault: null });
  });

  it.each<[string, readonly string[], object]>([
    ['its last records', [CUT], { why: 'cut_off', seq: 11 }],
    ['its last records, with the head set back', [CUT, SET_BACK], { why: 'cut_off', seq: 11 }],
    ['its last records, with head and checkpoint set back', [CUT, SET_BACK, FORGET], { why: 'cut_off', seq: 11 }],
    [
      'its last records and their runs, with head and checkpoint set back',
      [CUT, SET_BACK, FORGET, CUT_RUNS],
      { why: 'run_counts' },
    ],
    ['records in the middle', ['DELETE FROM svc.ledger WHERE seq BETWEEN 5 AND 6'], { why: 'wrong_seq', seq: 5 }],
    ['all records', ['DELETE FROM svc.ledger'], { why: 'cut_off', seq: 1 }],
    ['a run', [`DELETE FROM svc.run WHERE ((body::jsonb)->'evidence'->>'seq')::int = 7`], { why: 'no_run', seq: 7 }],
    ['the pointer of a run', [`UPDATE svc.run SET body = replace(body, '"seq":7,', '"seq":8,')`], { why: 'other_run' }],
    [
      'the JSON of a run',
      [`UPDATE svc.run SET body = '{"run_id":' WHERE ((body::jsonb)->'evidence'->>'seq')::int = 7`],
      { why: 'damaged' },
    ],
  ])('that lost %s is broken, for verify and for backup', async (_, statements, fault) => {
    await after(statements, async () => {
      expect(await svc('ledger', 'verify', url)).toMatchObject({ status: BROKEN, verdict: 'broken', fault });
      expect(await svc('backup', 'copy', '--runs-db', url)).toMatchObject({ status: BROKEN, fault });
    });
  });
});
