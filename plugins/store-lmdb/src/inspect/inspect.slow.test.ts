import { hash, randomBytes, randomInt } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DumpItem, RunRow, StoredRecord } from '@svc/sdk/store';
import { commitSealed, createRun, fakeClock, fakeLogger, moveRun, sampleRun } from '@svc/sdk/testing';
import { open } from 'lmdb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkDataFile } from '../files/data-file.ts';
import { LmdbStore } from '../lmdb-store.ts';
import { openStore, temporaryFolder } from '../test-store.ts';
import { inspectInChild } from './inspect-in-child.ts';

const PAGE = 4096;
const LONG = process.env.SVC_FAULT === 'long';
/** Of each kind. */
const DAMAGES = LONG ? 1000 : 6;
/** An unused page may be hit, so the test goes on until damage was found. */
const MOST = 1000;
/** Pages between the lengths of a truncated file: a prime, so that every kind of page is the last one. */
const STEP = LONG ? 61 : 197;

const inspect = (path: string) => inspectInChild(path, 'all', new AbortController().signal);

let folder: string;
let remove: () => void;
let whole: Buffer;
/** The file after each of some commits, without those that its log had not written yet. */
const older: Buffer[] = [];
let kept: string;

/**
 * Records and the indexes of rows, as read through LMDB. Wherever no damage is found, they must be unchanged. The rest of a row that spans several
 * pages cannot be compared with anything here; `svc ledger verify` compares it with the run's evidence.
 */
async function everything(path: string): Promise<string> {
  const store = new LmdbStore(path, 0, { clock: fakeClock(), logger: fakeLogger() });
  await store.open('read');
  const items: unknown[] = [];
  for await (const item of store.dump()) {
    if (item.kind === 'record') items.push(item);
    if (item.kind === 'run') items.push(foundBy(item.run));
  }
  await store.close();
  return JSON.stringify(items);
}

const foundBy = ({ run_id, status, route, principal_id, created_at }: RunRow): object => ({
  run_id,
  status,
  route,
  principal_id,
  created_at,
});

const digestOf = (text: string): string => hash('sha256', text);

/** Values of some bytes and of several pages, freed pages, and trees of more than one level. */
beforeAll(async () => {
  ({ folder, remove } = temporaryFolder());
  const path = join(folder, 'whole');
  const store = await openStore(path);
  for (let n = 0; n < 30; n += 1) {
    const runs = Array.from({ length: 10 }, () => sampleRun({ approvers: n % 7 === 0 ? ['x'.repeat(9000)] : [] }));
    const put_content = [{ name: 'payload', bytes: randomBytes(n * 300), expires_at: null }];
    await store.commit(
      runs.map((run) => createRun(run, { put_content })),
      [],
    );
    await commitSealed(
      store,
      runs.slice(1).map((run) => moveRun(run, 'completed', n % 2 === 0 ? { drop_content: ['payload'] } : {})),
    );
    older.push(readFileSync(join(path, 'data.mdb')));
  }
  await store.close();
  whole = readFileSync(join(path, 'data.mdb'));
  kept = await everything(path);
});
afterAll(() => remove());

function recordOf(seq: number): StoredRecord {
  for (const item of JSON.parse(kept) as DumpItem[]) if (item.kind === 'record' && item.record.seq === seq) return item.record;
  throw new Error('no such record');
}

function damaged(change: (bytes: Buffer) => void): string {
  const path = join(folder, 'damaged');
  mkdirSync(path, { recursive: true });
  const bytes = Buffer.from(whole);
  change(bytes);
  writeFileSync(join(path, 'data.mdb'), bytes);
  return path;
}

test('an intact folder is reported as intact, and read', async () => {
  expect(await inspect(damaged(() => undefined))).toBeNull();
  expect(JSON.parse(kept)).toHaveLength(300 + 270);
});

/** Of databases: their list has them all. */
const NAMES = ['ledger-index', 'run-index'];

function pageOf(bytes: Buffer, page: number): Buffer {
  return bytes.subarray(page * PAGE, (page + 1) * PAGE);
}

const KINDS: Readonly<Record<string, (bytes: Buffer, page: number) => void>> = {
  random: (bytes, page) => randomBytes(PAGE).copy(bytes, page * PAGE),
  zeros: (bytes, page) => bytes.fill(0, page * PAGE, (page + 1) * PAGE),
  ones: (bytes, page) => bytes.fill(0xff, page * PAGE, (page + 1) * PAGE),
  'another page': (bytes, page) => {
    const from = randomInt(bytes.length / PAGE) * PAGE;
    bytes.copy(bytes, page * PAGE, from, from + PAGE);
  },
  'an older copy of it': (bytes, page) => {
    // An older list of databases may be that of an older state that is still whole. See the test of an older meta page.
    if (page < 2 || NAMES.every((name) => pageOf(whole, page).includes(name))) return;
    const from = older[randomInt(older.length)] as Buffer;
    if (from.length >= (page + 1) * PAGE) pageOf(from, page).copy(bytes, page * PAGE);
  },
  'half of it': (bytes, page) => randomBytes(PAGE / 2).copy(bytes, page * PAGE + PAGE / 2),
};

test.each(Object.keys(KINDS))(
  'an overwritten page (%s) is found, or nothing is read from it',
  { timeout: 600_000 },
  async (kind) => {
    let found = 0;
    for (let n = 0; n < DAMAGES || (found === 0 && n < MOST); n += 1) {
      const page = randomInt(whole.length / PAGE);
      const path = damaged((bytes) => KINDS[kind]?.(bytes, page));
      const damage = await inspect(path);
      if (damage !== null) found += 1;
      else expect(digestOf(await everything(path)), `page ${page}`).toBe(digestOf(kept));
    }
    expect(found).toBeGreaterThan(0);
  },
);

const LEAF = 2;

/** Overwrites each page that holds the text by a leaf whose only value is in pages that do not exist: LMDB's transaction fails when it reads it. */
function leadNowhere(bytes: Buffer, text: string): void {
  for (let at = whole.indexOf(text); at >= 0; at = whole.indexOf(text, at + 1)) {
    const page = at - (at % PAGE);
    bytes.fill('A', page, page + PAGE);
    bytes.writeUInt16LE(LEAF, page + 18);
    // The end of the offsets, the end of the free space, and the only offset.
    for (const [place, value] of [26, 100, 100].entries()) bytes.writeUInt16LE(value, page + 20 + 2 * place);
  }
}

const around = (seq: number) => ({
  from: expect.toSatisfy((from) => from <= seq),
  through: expect.toSatisfy((through) => through >= seq),
});

test.each(['all', 'readable first'] as const)('an unreadable database does not affect the others (%s)', async (task) => {
  const path = damaged((bytes) => leadNowhere(bytes, `"prev_hash":"${JSON.parse(recordOf(100).bytes).prev_hash}"`));
  expect(await inspectInChild(path, task, new AbortController().signal)).toEqual({
    databases: ['ledger'],
    unreadable: ['ledger'],
    seqs: around(100),
    is_short: false,
  });
});

test('each database that cannot be read is found', async () => {
  const path = damaged((bytes) => leadNowhere(bytes, `"run_id":"${JSON.parse(recordOf(100).bytes).run_id}"`));
  expect(await inspect(path)).toEqual({
    databases: ['ledger', 'runs'],
    unreadable: ['ledger', 'runs'],
    seqs: around(100),
    is_short: false,
  });
});

test.each([0, 1])('meta page %i is found to be overwritten, by whatever page', async (page) => {
  const path = damaged(() => undefined);
  const file = openSync(join(path, 'data.mdb'), 'r+');
  const others = [...Array(whole.length / PAGE).keys()].filter((from) => from !== page);
  for (const content of [...others.map((from) => pageOf(whole, from)), ...[0, 7, 0xff].map((byte) => Buffer.alloc(PAGE, byte))]) {
    writeSync(file, content, 0, PAGE, page * PAGE);
    expect(() => checkDataFile(path, 'DAMAGED')).toThrow(expect.objectContaining({ code: 'DAMAGED' }));
  }
  closeSync(file);
  expect(await inspect(path)).toMatchObject({ databases: ['data.mdb'] });
});

test('a meta page as it was two transactions earlier is no damage: the file is the older database', async () => {
  const path = damaged(() => undefined);
  const env = open<string, string[]>({ path, noSubdir: false, encoding: 'string', overlappingSync: false });
  const state = env.openDB<string, string[]>('state', { encoding: 'string' });
  const files: Buffer[] = [];
  for (const value of ['first', 'second', 'third']) {
    await state.put(['test'], value);
    files.push(readFileSync(join(path, 'data.mdb')));
  }
  await env.close();
  const [first, second, third] = files as [Buffer, Buffer, Buffer];
  // Transactions are written to the two meta pages in turn.
  const page = [0, 1].find((number) => pageOf(first, number).equals(pageOf(second, number))) as number;
  pageOf(first, page).copy(third, page * PAGE);
  writeFileSync(join(path, 'data.mdb'), third);
  expect(await inspect(path)).toBeNull();
  const read = open<string, string[]>({ path, noSubdir: false, encoding: 'string', readOnly: true });
  expect(read.openDB<string, string[]>('state', { encoding: 'string' }).get(['test'])).toBe('second');
  await read.close();
});

test('a list of databases that looks empty is damage', async () => {
  const path = damaged((bytes) => {
    // LMDB derives the number of a page's entries from the length of its offsets (2 bytes at 20).
    for (let at = 2 * PAGE; at < bytes.length; at += PAGE)
      if (NAMES.every((name) => pageOf(bytes, at / PAGE).includes(name))) bytes.writeUInt16LE(0, at + 20);
  });
  expect(await inspect(path)).toMatchObject({ databases: ['main'], unreadable: ['main'] });
});

test('a truncated file is found, unless only unused pages are missing', async () => {
  const path = damaged(() => undefined);
  for (let length = whole.length - PAGE; length > 0; length -= STEP * PAGE) {
    truncateSync(join(path, 'data.mdb'), length);
    const damage = await inspect(path);
    if (damage === null) expect(digestOf(await everything(path))).toBe(digestOf(kept));
    else if (length > 2 * PAGE) expect(damage.is_short).toBe(true);
    if (length < whole.length / 2) expect(damage).not.toBeNull();
  }
  truncateSync(join(path, 'data.mdb'), 100);
  expect(await inspect(path)).toMatchObject({ databases: ['data.mdb'] });
});

test('a record that differs from the sealed one is found with its seq, however it was changed', async () => {
  const record = recordOf(100);
  const path = damaged((bytes) => {
    // It may lie in pages that were freed, too.
    for (let at = bytes.indexOf(record.bytes); at >= 0; at = bytes.indexOf(record.bytes, at + 1))
      bytes.write('mallory', at + record.bytes.indexOf('default'));
  });
  expect(await inspect(path)).toMatchObject({
    databases: expect.arrayContaining(['ledger']),
    unreadable: [],
    seqs: { from: 100, through: 100 },
  });
});

test.each([
  ['runs', 'run-index'],
  ['ledger', 'ledger'],
  ['run-index', 'run-index'],
  ['ledger-index', 'ledger-index'],
])('a missing entry of %s is found in %s', async (database, found) => {
  const path = damaged(() => undefined);
  const env = open<string, string>({ path, noSubdir: false, encoding: 'string', overlappingSync: false });
  const db = env.openDB<string, string>(database, { encoding: 'string' });
  const [, , key] = [...db.getKeys({ limit: 3 })];
  await db.remove(key as string);
  await env.close();
  expect((await inspect(path))?.databases).toContain(found);
});
