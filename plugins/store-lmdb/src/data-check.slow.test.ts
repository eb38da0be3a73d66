import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitSealed, createRun, fakeClock, fakeLogger, moveRun, sampleRun, verifiedChain } from '@svc/sdk/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { DataCheckSizes } from './data-check.ts';
import { LmdbStore } from './lmdb-store.ts';
import { openStore, temporaryFolder } from './test-store.ts';

const PAGE = 4096;
const RUNS = 200;
const ANY = Number.POSITIVE_INFINITY;
const BEFORE: DataCheckSizes = { before: ANY };
const IN_BACKGROUND: DataCheckSizes = { before: 0 };

let folder: string;
let remove: () => void;
let logger: ReturnType<typeof fakeLogger>;

beforeEach(async () => {
  ({ folder, remove } = temporaryFolder());
  logger = fakeLogger();
  const store = await openStore(folder);
  const runs = Array.from({ length: RUNS }, () => sampleRun());
  for (const run of runs) await store.commit([createRun(run)], []);
  await commitSealed(
    store,
    runs.map((run) => moveRun(run, 'completed')),
  );
  await store.close();
});
afterEach(() => {
  chmodSync(folder, 0o700);
  remove();
});

const storeWith = (sizes: DataCheckSizes) => new LmdbStore(folder, 0, { clock: fakeClock(), logger }, sizes);

/** Overwrites every page that contains a text. */
function overwrite(text: string): void {
  const file = join(folder, 'data.mdb');
  const bytes = readFileSync(file);
  const damaged = Buffer.from(bytes);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1))
    randomBytes(PAGE).copy(damaged, Math.floor(at / PAGE) * PAGE);
  writeFileSync(file, damaged);
}

/** Only records contain the previous record's hash under this name. */
async function overwriteRecord(seq: number): Promise<void> {
  const store = storeWith(BEFORE);
  await store.open('read');
  const [record] = await store.recordsBySeq([seq]);
  await store.close();
  overwrite(`"prev_hash":"${JSON.parse(record?.bytes ?? '').prev_hash}"`);
}

/** Changes the content of a record, without damaging a page. */
async function alterRecord(seq: number): Promise<void> {
  const store = storeWith(BEFORE);
  await store.open('read');
  const [record] = await store.recordsBySeq([seq]);
  await store.close();
  const text = record?.bytes ?? '';
  const file = join(folder, 'data.mdb');
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1))
    bytes.write('mallory', at + text.indexOf('default'));
  writeFileSync(file, bytes);
}

describe.each([
  ['before it is opened', BEFORE],
  ['in the background', IN_BACKGROUND],
])('if inspected %s', (_, sizes) => {
  test('an intact folder is served', async () => {
    const store = storeWith(sizes);
    await store.open();
    const during = commitSealed(store, [createRun(sampleRun())]);
    await store.whenChecked();
    await during;
    expect(await verifiedChain(store)).toHaveLength(RUNS + 1);
    await store.close();
  });

  test('damaged records are refused, and everything else works', async () => {
    await overwriteRecord(RUNS / 2);
    const store = storeWith(sizes);
    await store.open();
    await store.whenChecked();
    const refused = {
      name: 'StoreError',
      code: 'DAMAGED',
      damaged_seqs: { from: expect.any(Number), through: expect.any(Number) },
    };
    await expect(store.records({ since_seq: 0, limit: RUNS })).rejects.toMatchObject(refused);
    await expect(store.records({ since_seq: 0, limit: RUNS, model_id: 'default' })).rejects.toMatchObject(refused);
    await expect(store.recordsBySeq([1, RUNS / 2])).rejects.toMatchObject(refused);
    await expect(store.dump()[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
    expect(await store.recordsBySeq([1, RUNS])).toHaveLength(2);
    expect(await store.records({ since_seq: RUNS - 3, limit: RUNS })).toHaveLength(3);
    expect(await commitSealed(store, [createRun(sampleRun())])).toMatchObject([{ result: 'committed' }]);
    expect((await store.head())?.seq).toBe(RUNS + 1);
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ event: 'store_damaged', databases: ['ledger'] }) }),
    );
    await store.close();
  });

  test('a record that differs from the sealed one is refused, and its neighbours are read', async () => {
    await alterRecord(RUNS / 2);
    const store = storeWith(sizes);
    await store.open();
    await store.whenChecked();
    const damaged_seqs = { from: RUNS / 2, through: RUNS / 2 };
    const refused = { name: 'StoreError', code: 'DAMAGED', damaged_seqs };
    await expect(store.recordsBySeq([RUNS / 2])).rejects.toMatchObject(refused);
    await expect(store.records({ since_seq: RUNS / 2 - 3, limit: 5 })).rejects.toMatchObject(refused);
    await expect(store.records({ since_seq: RUNS / 2 - 3, limit: 5, model_id: 'default' })).rejects.toMatchObject(refused);
    expect(await store.recordsBySeq([RUNS / 2 - 1, RUNS / 2 + 1])).toHaveLength(2);
    await store.close();
  });

  test.each([
    ['the last record', () => overwriteRecord(RUNS)],
    ['rows', async () => overwrite('"run_id":"')],
  ])('nothing works if %s cannot be read', async (_, damage) => {
    await damage();
    const store = storeWith(sizes);
    const asked = store.open().then(async () => {
      await store.whenChecked();
      await store.run('x');
    });
    await expect(asked).rejects.toMatchObject({ name: 'StoreError', code: 'DAMAGED' });
    await expect(commitSealed(store, [createRun(sampleRun())])).rejects.toMatchObject({ name: 'StoreError' });
    await store.close();
  });
});

test.each(['SIGKILL', 'SIGTERM'] as const)('a folder whose check was ended by %s is not called damaged', async (signal) => {
  const kill = (message: unknown): void => {
    const { process: child } = message as { readonly process: ChildProcess };
    child.once('spawn', () => child.kill(signal));
  };
  subscribe('child_process', kill);
  onTestFinished(() => void unsubscribe('child_process', kill));
  const reason = { name: 'StoreError', code: 'OPEN', message: expect.stringContaining(signal) };
  await expect(storeWith(BEFORE).open()).rejects.toMatchObject(reason);
  expect(logger.lines).toEqual([]);
  unsubscribe('child_process', kill);
  await (await openStore(folder)).close();
});

test('a store that is closed before the inspection is closed', async () => {
  const store = storeWith(IN_BACKGROUND);
  await store.open();
  await store.close();
  await (await openStore(folder)).close();
});

test('opened for reading, a folder is unchanged and may be read-only', async () => {
  const files = () => readdirSync(folder).sort();
  const before = [files(), readFileSync(join(folder, 'data.mdb'))];
  chmodSync(folder, 0o500);
  const store = storeWith(BEFORE);
  await store.open('read');
  expect(await verifiedChain(store)).toHaveLength(RUNS);
  await expect(commitSealed(store, [createRun(sampleRun())])).rejects.toMatchObject({ name: 'StoreError' });
  await store.close();
  expect([files(), readFileSync(join(folder, 'data.mdb'))]).toEqual(before);
});
