import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitSealed, createRun, fakeClock, fakePluginDeps, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import plugin from './index.ts';
import { SCHEMA } from './tables/schema.ts';
import { openStore, temporaryFolder } from './test-store.ts';

let folder: string;
let remove: () => void;

beforeEach(() => {
  ({ folder, remove } = temporaryFolder());
});
afterEach(() => remove());

describe('the plugin', () => {
  test('creates a store for a folder relative to the configuration, and touches nothing before it is opened', async () => {
    const store = plugin.create({ path: 'runs.d/db' }, fakePluginDeps({ directory: folder }));
    expect(readdirSync(folder)).toEqual([]);
    await store.open();
    await store.close();
    expect(readdirSync(join(folder, 'runs.d')).sort()).toEqual(['db']);
  });

  test('refuses to write if the disk has less than min_free_bytes', async () => {
    const store = plugin.create({ path: 'db', min_free_bytes: Number.MAX_SAFE_INTEGER }, fakePluginDeps({ directory: folder }));
    await expect(store.open()).rejects.toMatchObject({ code: 'FULL' });
    await expect(store.head()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('the folder', () => {
  test('is for its user alone', async () => {
    const store = await openStore(join(folder, 'db'));
    const mode = (path: string) => statSync(path).mode & 0o777;
    expect(mode(join(folder, 'db'))).toBe(0o700);
    const files = readdirSync(join(folder, 'db'));
    expect(files).toHaveLength(4);
    for (const file of files) expect(mode(join(folder, 'db', file))).toBe(0o600);
    await store.close();
  });

  test('of a newer schema is refused and left unchanged', async () => {
    await (await openStore(folder)).close();
    const raw = open<string, string>({ path: folder, noSubdir: false, encoding: 'string', overlappingSync: false });
    await raw.put('schema', String(SCHEMA + 1));
    await raw.close();
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'SCHEMA' });
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'SCHEMA' });
  });

  test('with the database of another program is refused and left unchanged', async () => {
    const raw = open<string, string>({ path: folder, noSubdir: false, encoding: 'string', overlappingSync: false });
    await raw.put('theirs', 'x');
    await raw.close();
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'SCHEMA' });
    const again = open<string, string>({ path: folder, noSubdir: false, encoding: 'string', overlappingSync: false });
    expect([...again.getKeys()]).toEqual(['theirs']);
    await again.close();
  });

  test.each([
    ['garbage', Buffer.from('not a database'.repeat(1000))],
    ['zeros', Buffer.alloc(16_384)],
    ['a few bytes', Buffer.from('x')],
  ])('with %s for a data file is refused', async (_, bytes) => {
    writeFileSync(join(folder, 'data.mdb'), bytes);
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'OPEN', message: expect.stringContaining('data.mdb') });
  });

  test('of another version of LMDB is refused', async () => {
    await (await openStore(folder)).close();
    const bytes = readFileSync(join(folder, 'data.mdb'));
    bytes.writeUInt16LE(1, 28);
    writeFileSync(join(folder, 'data.mdb'), bytes);
    await expect(openStore(folder)).rejects.toMatchObject({ code: 'OPEN' });
  });

  test('with an empty data file counts as new', async () => {
    writeFileSync(join(folder, 'data.mdb'), '');
    await (await openStore(folder)).close();
  });

  test('that cannot be created is refused with its path', async () => {
    writeFileSync(join(folder, 'file'), '');
    for (const path of [join(folder, 'file'), join(folder, 'file', 'db')]) {
      await expect(openStore(path)).rejects.toMatchObject({ code: 'OPEN', message: expect.stringContaining(path) });
    }
  });
});

describe('opening', () => {
  test('releases every lease, and tokens keep growing', async () => {
    const clock = fakeClock();
    const store = await openStore(folder, clock);
    const lease = await store.acquireLease('export', 'dead', 60_000);
    await store.close();
    const again = await openStore(folder, clock);
    expect(await again.leaseHolder('export')).toBeNull();
    if (lease === null) throw new Error('no lease');
    expect(await again.moveCursor('jsonl', 1, lease)).toBe(false);
    expect(await again.acquireLease('export', 'alive', 60_000)).toEqual({
      name: 'export',
      holder: 'alive',
      token: lease.token + 1,
    });
    await again.close();
  });

  test('twice is refused, and works after closing', async () => {
    const store = await openStore(folder);
    await expect(store.open()).rejects.toMatchObject({ code: 'OPEN' });
    await store.close();
    await store.open();
    expect(await store.head()).toBeNull();
    await store.close();
  });

  test('closing waits for writes in flight', async () => {
    const store = await openStore(folder);
    const commits = Array.from({ length: 20 }, () => commitSealed(store, [createRun(sampleRun())]));
    await store.close();
    await Promise.all(commits);
    const again = await openStore(folder);
    expect(await verifiedChain(again)).toHaveLength(20);
    await again.close();
  });
});
