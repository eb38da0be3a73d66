import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DumpItem, Store } from '@svc/contracts';
import { createRun, sampleRun } from '@svc/sdk/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import * as lmdb from '../../plugins/store-lmdb/src/test-store.ts';
import * as postgres from '../../plugins/store-postgres/src/test-database.ts';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { type SvcEnded, svcHere } from '../harness/svc-here.ts';

const NEVER = Number.MAX_SAFE_INTEGER;

let folder: string;
let url: string;
let databases: postgres.ReusedDatabases;
let giveBack: () => Promise<void>;
let gateway: TestGateway;
let runs_db: string;

beforeAll(() => {
  databases = new postgres.ReusedDatabases(inject('postgres'));
});
afterAll(() => databases.remove());

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-migrate-'));
  ({ url, giveBack } = await databases.take());
  gateway = await TestGateway.start({ config: echoConfig(), here: true });
  runs_db = join(gateway.folder, 'runs-db');
});
afterEach(async () => {
  await gateway.dispose();
  await giveBack();
  rmSync(folder, { recursive: true, force: true });
});

/** In the test process. A folder is read there, too, instead of in a child process: it is not damaged. */
const svc = (...args: string[]): Promise<SvcEnded> =>
  svcHere(args, { cwd: folder, env: { SVC_KEY: gateway.key('alice'), SVC_ISOLATED: '1' } });

function svcProcess(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, encoding: 'utf8', timeout: 120_000 });
}

const lmdbToPostgres = (from: string): string[] => ['migrate', 'lmdb-to-postgres', '--from', from, '--to', url];
const migrate = (...more: string[]): Promise<SvcEnded> => svc(...lmdbToPostgres(runs_db), ...more);

async function inLmdb<T>(path: string, action: (store: Store) => Promise<T>): Promise<T> {
  const store = await lmdb.openStore(path);
  try {
    return await action(store);
  } finally {
    await store.close();
  }
}

async function inPostgres<T>(action: (store: Store) => Promise<T>): Promise<T> {
  const store = await postgres.openStore(url);
  try {
    return await action(store);
  } finally {
    await store.close();
  }
}

/** Everything in a store but whether it was moved, in an order that does not depend on it. */
async function everything(store: Store): Promise<DumpItem[]> {
  const items: DumpItem[] = [];
  for await (const item of store.dump()) if (item.kind !== 'meta' || item.key !== 'ledger/moved-to') items.push(item);
  const keys = new Map(items.map((item) => [item, JSON.stringify(item)]));
  return items.sort((a, b) => ((keys.get(a) ?? '') < (keys.get(b) ?? '') ? -1 : 1));
}

const asRun = (key: string, more: object = {}) =>
  gateway.request('POST', '/v1/runs', {
    body: { messages: [{ role: 'user', content: 'hello' }], ...more },
    headers: { 'idempotency-key': key },
  });

/** The stored answer of a background run, once it is there. */
async function answerOf(run_id: string): Promise<string> {
  for (;;) {
    const { status, text } = await gateway.get(`/v1/runs/${run_id}/response`);
    if (status === 200) return text;
  }
}

/** Until a statement that begins so waits for a lock. */
async function waitingFor(statement: string): Promise<void> {
  for (;;) {
    const waiting = await postgres.sql(
      url,
      `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND starts_with(query, $1)`,
      [statement],
    );
    if (waiting.length > 0) return;
  }
}

async function ledgerText(): Promise<string> {
  return (await gateway.get('/v1/audit/ledger?limit=10000')).text;
}

describe('svc migrate lmdb-to-postgres', () => {
  it('moves all stored data: the next server continues over PostgreSQL', async () => {
    // The command names the process that holds the folder.
    await gateway.dispose();
    gateway = await TestGateway.start({ config: echoConfig() });
    runs_db = join(gateway.folder, 'runs-db');
    const run_id = (await gateway.chat('hello')).headers.get('x-svc-run-id');
    await gateway.chat('forbidden');
    const wire = { messages: [{ role: 'user', content: 'a wire transfer from ACC-1' }] };
    const paused = (await asRun('waits', wire)).body;
    const background = (await asRun('later', { background: true })).body.run_id;
    const kept = await answerOf(background);
    const done = await asRun('done');
    expect((await gateway.request('DELETE', `/v1/runs/${run_id}/content`)).status).toBe(200);
    const operations = (await gateway.get('/v1/audit/operations')).body.records;
    expect(operations.map(({ action }: { action: string }) => action)).toEqual(['gateway.started', 'content.erased']);
    const [ledger, audit] = [await ledgerText(), (await gateway.get('/v1/audit?limit=100')).body.runs];

    const held = await migrate();
    expect(held).toMatchObject({ status: 1, stderr: expect.stringContaining(String(gateway.pid)) });
    expect(await gateway.stop()).toBe(0);
    gateway.here = true;
    await inLmdb(runs_db, async (store) => {
      const hold = { key: 'tokens/alice/2026-11', amount: 10, limit: 100, expires_at: NEVER };
      await store.counters.reserve('open', [hold]);
      await store.counters.reserve('ended', [{ ...hold, key: 'tokens/bob/2026-11' }]);
      const spend = [{ key: 'tokens/bob/2026-11', amount: 7, expires_at: NEVER }];
      await store.commit([createRun(sampleRun({ status: 'paused' }), { settlements: [{ reservation: 'ended', spend }] })], []);
      const lease = await store.acquireLease('export', 'a', 1000);
      if (lease !== null) await store.moveCursor('jsonl', 2, lease);
    });

    const { status, stdout, stderr } = svcProcess(...lmdbToPostgres(runs_db), '--json');
    expect([status, stderr]).toEqual([0, '']);
    const from = await svc('ledger', 'verify', runs_db);
    expect(from.status).toBe(3);
    expect(await svc('ledger', 'verify', url)).toMatchObject({ status: 3, stdout: from.stdout });
    const before = await inLmdb(runs_db, everything);
    expect(await inPostgres(everything)).toEqual(before);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ from: 'lmdb', to: 'postgres', head: { hash: expect.stringMatching(/^sha256:/) } });
    expect(Object.values<number>(report.items).reduce((sum, n) => sum + n, 0)).toBe(before.length);
    expect(report.items).toMatchObject({ run: 6, reservation: 1, counter: 2, cursor: 1, unique_key: 3 });

    // The key that signs is no part of what was copied.
    await expect(gateway.launch(['--runs-db', url])).rejects.toThrow('ledger.signing_keys');
    copyFileSync(`${runs_db}.key`, join(gateway.folder, 'ledger.key'));
    await gateway.launch(['--runs-db', url]);
    // It goes on with the operations log, too.
    const [started, erased, again] = (await gateway.get('/v1/audit/operations')).body.records;
    expect([started, erased]).toEqual(operations);
    expect(again).toMatchObject({ seq: 3, prev_hash: erased.hash, action: 'gateway.started', before: started.after });
    expect((await gateway.get('/v1/audit?limit=100')).body.runs).toEqual(expect.arrayContaining(audit));
    expect((await asRun('done')).body).toEqual(done.body);
    expect((await asRun('waits', wire)).body).toEqual(paused);
    expect((await asRun('later', { background: true })).body.run_id).toBe(background);
    expect(await answerOf(background)).toBe(kept);
    const resumed = await gateway.post(`/v1/runs/${paused.run_id}/resume`, { decision: 'approved' }, 'bob');
    expect(resumed).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await answerOf(paused.run_id)).toContain('wire transfer from <ACCOUNT>');
    // Byte for byte what it was, and the new records after it.
    expect((await ledgerText()).startsWith(ledger.slice(0, ledger.lastIndexOf(']')))).toBe(true);
    expect((await svc('ledger', 'verify', gateway.url)).status).toBe(3);
    expect((await gateway.ledger()).length).toBeGreaterThan(report.items.record + 1);
    await inPostgres(async (store) => {
      expect(await store.counters.read(['tokens/alice/2026-11', 'tokens/bob/2026-11'])).toEqual([10, 7]);
      expect(await store.cursor('jsonl')).toBe(2);
    });
  });

  it('prints in two lines what was copied, without progress or address outside a terminal', async () => {
    await gateway.chat('hello');
    await gateway.stop();
    const { status, stdout, stderr } = svcProcess(...lmdbToPostgres(runs_db));
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(stdout).toContain('1 runs and 2 records');
    expect(stdout).not.toContain('postgres:');
  });

  it('refuses a target that is not empty, leaves it unchanged, and the source can still be served', async () => {
    await gateway.chat('hello');
    await gateway.stop();
    await inPostgres((store) => store.writeMeta('something', null, 'is here'));
    const before = await inPostgres(everything);
    expect(await migrate()).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('nothing was copied') });
    expect(await inPostgres(everything)).toEqual(before);
    await gateway.launch();
  });

  it('refuses a ledger that is broken, and copies nothing', async () => {
    await gateway.chat('hello');
    await gateway.stop();
    await inLmdb(runs_db, (store) =>
      store.commit([], [{ record_type: 'run_evidence', model_id: 'default', parts: ['', '', '', ''], change: null }]),
    );
    expect(await migrate()).toMatchObject({ status: 1, stderr: expect.stringContaining('broken at seq 3') });
    expect(await inPostgres(everything)).toEqual([]);
    expect(await inLmdb(runs_db, (store) => store.readMeta('ledger/moved-to'))).toBeNull();
  });

  it('killed in the middle leaves nothing, and can be run again', async () => {
    for (const content of ['one', 'two', 'three']) await gateway.chat(content);
    await gateway.stop();
    await inPostgres(async () => undefined);
    // Its records are written when it comes to the runs, and waits.
    const blocker = await postgres.hold(url, 'LOCK TABLE svc.run IN SHARE MODE');
    const child = spawn(process.execPath, [MAIN, 'migrate', 'lmdb-to-postgres', '--from', runs_db, '--to', url], {
      stdio: 'ignore',
    });
    await waitingFor('INSERT INTO svc.run (');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await blocker.release();
    expect(await inPostgres(everything)).toEqual([]);
    // Whether it came to its end is not known there.
    const serve = svcProcess('serve', '--config', join(gateway.folder, 'svc.yaml'), '--port', '0', '--runs-db', runs_db);
    expect(serve).toMatchObject({ status: 1, stderr: expect.stringContaining('run svc migrate again') });
    expect((await migrate()).status).toBe(0);
    expect(await inPostgres(everything)).toEqual(await inLmdb(runs_db, everything));
  });
});

describe('svc migrate', () => {
  it('goes the other way, and from folder to folder, by the same path', async () => {
    await gateway.chat('hello');
    await gateway.chat('a wire transfer');
    await gateway.stop();
    expect((await migrate()).status).toBe(0);
    const [back, copy] = [join(folder, 'back'), join(folder, 'copy')];
    expect((await svc('migrate', 'postgres-to-lmdb', '--from', url, '--to', back)).status).toBe(0);
    expect((await svc('migrate', 'lmdb-to-lmdb', '--from', back, '--to', copy)).status).toBe(0);
    expect(await inLmdb(copy, everything)).toEqual(await inLmdb(runs_db, everything));
    const { stdout } = await svc('ledger', 'verify', runs_db);
    expect(await svc('ledger', 'verify', copy)).toMatchObject({ status: 3, stdout });
  });

  it('copies nothing from a database that a server still writes to', async () => {
    await gateway.stop();
    await gateway.launch(['--runs-db', url]);
    await gateway.chat('hello');
    // It reads this table among the last.
    const blocker = await postgres.hold(url, 'LOCK TABLE svc.cursor IN ACCESS EXCLUSIVE MODE');
    const target = join(folder, 'copy');
    const args = [MAIN, 'migrate', 'postgres-to-lmdb', '--from', url, '--to', target];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = once(child, 'exit');
    let said = '';
    child.stderr.on('data', (data: Buffer) => {
      said += data.toString();
    });
    await waitingFor('SELECT name, seq FROM svc.cursor');
    await gateway.chat('meanwhile');
    await blocker.release();
    expect(await ended).toEqual([1, null]);
    expect(said).toContain('changed during the copy');
    expect(await inLmdb(target, everything)).toEqual([]);
    await gateway.stop();
    await gateway.launch(['--runs-db', url]);
  });

  const serve = (at: string) => svcProcess('serve', '--config', join(gateway.folder, 'svc.yaml'), '--port', '0', '--runs-db', at);

  it('leaves a source that cannot be served or moved again until the migration is undone: a folder', async () => {
    await gateway.chat('hello');
    await gateway.stop();
    expect((await migrate()).status).toBe(0);
    const before = await inLmdb(runs_db, everything);
    const { host, pathname, password } = new URL(url);
    const served = serve(runs_db);
    const moved = await svc('migrate', 'lmdb-to-lmdb', '--from', runs_db, '--to', join(folder, 'another'));
    for (const refused of [served, moved]) {
      expect(refused.status).not.toBe(0);
      expect(refused.stderr).not.toContain(`:${password}@`);
    }
    const told = served.stderr.trim().split('\n').at(-1);
    expect(told).toContain(`postgres://${host}${pathname}`);
    expect(told).toContain('svc migrate undo');
    expect(await inLmdb(runs_db, everything)).toEqual(before);
    // The backup that it is can be checked, and the copy served.
    expect((await svc('ledger', 'verify', runs_db)).status).toBe(3);
    copyFileSync(`${runs_db}.key`, join(gateway.folder, 'ledger.key'));
    await gateway.launch(['--runs-db', url]);
    await gateway.stop();

    expect(await svc('migrate', 'undo', '--from', runs_db)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(pathname),
    });
    expect(await svc('migrate', 'undo', '--from', runs_db)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('not migrated'),
    });
    await gateway.launch();
  });

  it('leaves a source that cannot be served or moved again until the migration is undone: a database', async () => {
    await gateway.stop();
    await gateway.launch(['--runs-db', url]);
    await gateway.chat('hello');
    await gateway.stop();
    const [back, again] = [join(folder, 'back'), join(folder, 'again')];
    const toLmdb = (to: string) => svc('migrate', 'postgres-to-lmdb', '--from', url, '--to', to);
    expect((await toLmdb(back)).status).toBe(0);
    expect(serve(url)).toMatchObject({ status: 1, stderr: expect.stringContaining(back) });
    expect(await toLmdb(again)).toMatchObject({ status: 1, stderr: expect.stringContaining(back) });
    expect((await svc('migrate', 'undo', '--from', url)).status).toBe(0);
    expect((await toLmdb(again)).status).toBe(0);
    // The mark of the source is not the copy's.
    for (const copy of [back, again]) {
      copyFileSync(join(gateway.folder, 'ledger.key'), `${copy}.key`);
      await gateway.launch(['--runs-db', copy]);
      await gateway.stop();
    }
  });

  it('copies nothing from a database that it may not mark', async () => {
    await inPostgres(async (store) => store.writeMeta('something', null, 'is here'));
    const reader = await postgres.userOf(url, 'SELECT');
    try {
      const target = join(folder, 'copy');
      const { status, stderr } = await svc('migrate', 'postgres-to-lmdb', '--from', reader.url, '--to', target);
      expect(status).toBe(1);
      expect(stderr).toContain('cannot be marked');
      expect(await inLmdb(target, everything)).toEqual([]);
    } finally {
      await reader.remove();
    }
  });

  it('and svc ledger verify create nothing in a database that is not a runs-db, and report this', async () => {
    const { url: empty, remove } = await postgres.temporaryDatabase(inject('postgres'));
    onTestFinished(remove);
    const schemas = () => postgres.sql(empty, `SELECT 1 FROM pg_namespace WHERE nspname = 'svc'`);
    for (const refused of [
      await svc('ledger', 'verify', empty),
      await svc('migrate', 'postgres-to-lmdb', '--from', empty, '--to', join(folder, 'copy')),
      await svc('migrate', 'undo', '--from', empty),
    ]) {
      expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('is not a runs-db') });
      expect(refused.stderr.trim().split('\n')).toHaveLength(1);
    }
    expect(await schemas()).toEqual([]);
  });
});
