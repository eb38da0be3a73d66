import { spawnSync } from 'node:child_process';
import { hash, randomBytes, randomInt } from 'node:crypto';
import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { LONG } from './form.ts';

/** The kinds of damage are those of the store's own tests. Here, the commands and the server must report them. */
const ROUNDS = LONG ? 200 : 2;
/** An unused page may be hit, so a test goes on until damage was found. */
const MOST = 200;
const PAGE = 4096;
const CHATS = 300;
const BROKEN = 4;

let gateway: TestGateway;
let records: string;
let whole: Buffer;
const place = (...path: string[]): string => join(gateway.folder, ...path);

beforeAll(async () => {
  gateway = await TestGateway.start({ here: true, config: echoConfig({ ledger: { pinned_checkpoint_file: false } }) });
  for (let n = 0; n < CHATS; n += 30) await Promise.all(Array.from({ length: 30 }, () => gateway.chat('hello')));
  await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'a wire transfer' }] });
  await gateway.get('/v1/audit/ledger/checkpoint');
  records = await ledgerText();
  await gateway.stop();
  // Reading damaged data may end a process.
  gateway.here = false;
  whole = await readFile(place('runs-db', 'data.mdb'));
  await cp(place('runs-db'), place('whole'), { recursive: true });
}, 120_000);
afterAll(() => gateway.dispose());
beforeEach(async () => {
  await gateway.stop('SIGKILL').catch(() => undefined);
  await rm(place('runs-db'), { recursive: true, force: true });
  await cp(place('whole'), place('runs-db'), { recursive: true });
  await rm(place('copy'), { recursive: true, force: true });
});

async function ledgerText(): Promise<string> {
  return (await gateway.get('/v1/audit/ledger?limit=10000')).text;
}

function svc(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { cwd: gateway.folder, encoding: 'utf8' });
  return { status, stderr, said: stdout.startsWith('{') ? JSON.parse(stdout) : stdout };
}

const verified = (folder = 'runs-db') => svc('ledger', 'verify', folder, '--json');

async function overwrite(page: number, bytes: Buffer): Promise<void> {
  // Of the same moment as the data: a server of an earlier round has written to it.
  await cp(place('whole', 'commits.log'), place('runs-db', 'commits.log'));
  const changed = Buffer.from(whole);
  bytes.copy(changed, page * PAGE);
  await writeFile(place('runs-db', 'data.mdb'), changed);
}

describe('svc ledger verify and svc backup', () => {
  it('find nothing in an intact runs-db and in a copy of it', () => {
    expect(verified()).toMatchObject({ status: 3, said: { records: CHATS + 1, fault: null } });
    expect(svc('backup', 'copy', '--json')).toMatchObject({ status: 0, said: { records: CHATS + 1, fault: null } });
    expect(verified('copy')).toMatchObject({ status: 3, said: { records: CHATS + 1 } });
  });

  it('find an overwritten page, or all data is intact', { timeout: 600_000 }, async () => {
    let found = 0;
    for (let round = 0; round < ROUNDS || (found === 0 && round < MOST); round += 1) {
      const page = randomInt(whole.length / PAGE);
      await overwrite(page, round % 3 === 0 ? Buffer.alloc(PAGE) : randomBytes(PAGE));
      await rm(place('copy'), { recursive: true, force: true });
      const [verify, backup] = [verified(), svc('backup', 'copy', '--json')];
      const statuses = [verify.status, backup.status];
      expect(
        [
          [3, 0],
          [BROKEN, BROKEN],
          [BROKEN, 0],
        ],
        `page ${page}: ${verify.stderr}${backup.stderr}`,
      ).toContainEqual(statuses);
      if (verify.status === BROKEN) found += 1;
      // A damaged list of free pages or meta page is not part of a copy.
      if (backup.status === 0) expect(verified('copy')).toMatchObject({ status: 3, said: { records: CHATS + 1 } });
    }
    expect(found).toBeGreaterThan(0);
  });

  it('find a file that was cut off', async () => {
    for (const share of [0.1, 0.5, 0.8]) {
      await truncate(place('runs-db', 'data.mdb'), Math.floor((whole.length * share) / PAGE) * PAGE);
      expect(verified(), `${share}`).toMatchObject({ status: BROKEN, said: { verdict: 'broken', fault: { why: 'damaged' } } });
      const backup = svc('backup', 'copy', '--json');
      expect(backup.status, `${share}: ${backup.stderr}`).toBe(BROKEN);
      await rm(place('copy'), { recursive: true, force: true });
    }
  });
});

/** Overwrites every page that a record was ever written to; only records hold the hash of the one before under this name. */
async function overwriteRecord(seq: number): Promise<void> {
  const text = `"prev_hash":"${JSON.parse(records).records[seq - 1].prev_hash}"`;
  const changed = Buffer.from(whole);
  for (let at = whole.indexOf(text); at >= 0; at = whole.indexOf(text, at + 1))
    randomBytes(PAGE).copy(changed, Math.floor(at / PAGE) * PAGE);
  await writeFile(place('runs-db', 'data.mdb'), changed);
}

describe('a server over a damaged runs-db', () => {
  const READS = [
    '/v1/audit/ledger?limit=10000',
    '/v1/audit/ledger?limit=10000&route=default',
    '/v1/audit/inventory',
    '/v1/audit?limit=10000',
    '/v1/audit/report',
    '/v1/audit/ledger/checkpoint',
    '/v1/audit/ledger/proof?seq=100',
    '/v1/audit/ledger/proof?from=2',
  ];

  it('answers 503 for the records that are damaged, and serves everything else', async () => {
    await overwriteRecord(150);
    await gateway.launch();
    expect(gateway.output).toContain('"event":"store_damaged"');
    const answers = await Promise.all(READS.map((path) => gateway.get(path)));
    const statuses = Object.fromEntries(READS.map((path, n) => [path, answers[n]?.status]));
    expect(statuses).toMatchObject({ '/v1/audit/ledger?limit=10000': 503, '/v1/audit/inventory': 200, '/v1/audit/report': 200 });
    expect(answers[0]?.body.code).toBe('SVC-STORE-001');
    expect((await gateway.get('/v1/audit/ledger?limit=50')).status).toBe(200);
    expect((await gateway.get(`/v1/audit/ledger?since_seq=${CHATS - 20}`)).status).toBe(200);
    expect((await gateway.chat('hello')).status).toBe(200);
    expect(await gateway.stop()).toBe(0);
    expect(verified()).toMatchObject({ status: BROKEN, said: { fault: { why: 'damaged', seq: expect.any(Number) } } });
  });

  it('never dies while reading it, and returns nothing that was not written', { timeout: 600_000 }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const page = randomInt(whole.length / PAGE);
      await overwrite(page, round % 3 === 0 ? Buffer.alloc(PAGE) : randomBytes(PAGE));
      const refused = await gateway.launch().then(
        () => null,
        (error: Error) => error,
      );
      if (refused !== null) {
        expect(refused.message, `page ${page}`).toMatch(/svc: .*damaged/);
        continue;
      }
      for (const path of READS) {
        const { status, text } = await gateway.get(path);
        expect([200, 503], `page ${page}: ${path}`).toContain(status);
        if (path === READS[0] && status === 200)
          expect(hash('sha256', text.slice(0, records.length - 2))).toBe(hash('sha256', records.slice(0, -2)));
      }
      expect(await gateway.stop(), `page ${page}`).toBe(0);
    }
  });
});
