import { GENESIS, type NewOperation, type Operation } from '@svc/contracts';
import { placeRecord, prepareRecord } from '@svc/ledger';
import { describe, expect, test, vi } from 'vitest';
import { KeyTree } from '../../content/key-tree.ts';
import { SharedStore } from '../../gateway/test-store.ts';
import { handClock } from '../../test-parts.ts';
import { OperationsLog } from './operations-log.ts';
import { CONTENT_KEYS } from './test-keys.ts';

function entry(name: string): NewOperation {
  return {
    action: 'state.changed',
    actor: { principal_id: 'ada', issuer: null, subject: null },
    target: { kind: 'route', name },
    before: null,
    after: null,
    reason: 'tried',
    change: {},
  };
}

function open(store = new SharedStore(), content_keys = CONTENT_KEYS) {
  const applied: Operation[] = [];
  const warned: object[] = [];
  const logger = { warn: (line: object) => warned.push(line) };
  const apply = [(operation: Operation) => applied.push(operation)];
  const log = new OperationsLog({ store, clock: handClock(), content_keys, logger, apply });
  return { store, applied, warned, log, names: () => applied.map(({ target }) => target.name) };
}

test('a record is applied once, in order, in every process', async () => {
  const one = open();
  const other = open(one.store);
  await Promise.all([one.log.append(() => entry('a')), other.log.append(() => entry('b')), one.log.append(() => entry('c'))]);
  await Promise.all([one.log.catchUp(), other.log.catchUp()]);
  expect(one.names().toSorted()).toEqual(['a', 'b', 'c']);
  expect(other.names()).toEqual(one.names());
  expect(one.applied.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(one.applied[1]?.prev_hash).toBe(one.applied[0]?.hash);
});

test('a process that starts later applies all of it', async () => {
  const { store, log } = open();
  for (let count = 0; count < 130; count += 1) await log.append(() => entry(String(count)));
  const later = open(store);
  await later.log.catchUp();
  expect(later.applied).toHaveLength(130);
});

test('a refused change leaves no record, and is checked again after the change of another process is applied', async () => {
  const one = open();
  const other = open(one.store);
  await other.log.append(() => entry('taken'));
  const refusing = one.log.append(() => {
    if (one.names().includes('taken')) throw new Error('taken');
    return entry('taken');
  });
  await expect(refusing).rejects.toThrow('taken');
  expect(await one.log.records.records({ since_seq: 0, limit: 10 })).toHaveLength(1);
});

test('neither an altered record nor anything after it is applied', async () => {
  const { store, log } = open();
  await log.append(() => entry('a'));
  await log.append(() => entry('b'));
  const [[key, bytes] = ['', '']] = [...store.meta].filter(([name]) => name.startsWith('operations/record/'));
  store.meta.set(key, bytes.replace('"tried"', '"meant"'));
  const later = open(store);
  await expect(later.log.catchUp()).rejects.toMatchObject({ code: 'SVC-STORE-001' });
  await expect(later.log.append(() => entry('c'))).rejects.toMatchObject({ code: 'SVC-STORE-001' });
  expect(later.applied).toEqual([]);
});

/** Adds a record as someone could with write access to the store, but without the key: it continues the chain and has an invalid tag. */
function forge(store: SharedStore, seq: number, prev_hash: string, tag: string): void {
  const at = '2026-01-01T00:00:00.000Z';
  const { bytes } = placeRecord(prepareRecord({ ...entry('forged'), record_type: 'operation', at }), seq, prev_hash);
  store.meta.set(`operations/record/${String(seq).padStart(12, '0')}`, `${tag} ${bytes}`);
}
const altered = { code: 'SVC-STORE-001' };
const other = { newest: KeyTree.generate(), older: [], forget: null };

test('a record that no gateway wrote is not applied, read or continued, even if it continues the chain', async () => {
  const { store, log, applied } = open();
  const { hash } = await log.append(() => entry('a'));
  const tags = [...store.meta.values()].map((value) => value.slice(0, 44));
  const foreign = open(new SharedStore(), other);
  await foreign.log.append(() => entry('a'));
  for (const tag of [...tags, ...[...foreign.store.meta.values()].map((value) => value.slice(0, 44)), '', 'A'.repeat(44)]) {
    forge(store, 2, hash, tag.padEnd(44));
    await expect(log.catchUp()).rejects.toMatchObject(altered);
    await expect(log.append(() => entry('b'))).rejects.toMatchObject(altered);
    await expect(log.records.records({ since_seq: 0, limit: 10 })).rejects.toMatchObject(altered);
    await expect(open(store).log.catchUp()).rejects.toMatchObject(altered);
  }
  expect(applied).toHaveLength(1);
});

test('foreign data after a record does not prevent it from being applied', async () => {
  const one = open();
  await one.log.append(() => entry('a'));
  const second = open(one.store);
  await second.log.catchUp();
  for (const seq of [3, 4]) forge(one.store, seq, GENESIS, 'A'.repeat(44));
  expect(await one.log.append(() => entry('revoked'))).toMatchObject({ seq: 2 });
  await expect(second.log.catchUp()).rejects.toMatchObject(altered);
  await expect(one.log.append(() => entry('c'))).rejects.toMatchObject(altered);
  const later = open(one.store);
  await expect(later.log.catchUp()).rejects.toMatchObject(altered);
  for (const { names } of [one, second, later]) expect(names()).toEqual(['a', 'revoked']);
  expect(one.store.meta.size).toBe(5);
});

test('operations that any caller can request wait behind changes of rights', async () => {
  const { log, applied } = open();
  const erasures = Array.from({ length: 50 }, (_, index) => log.append(() => entry(`erasure ${index}`), 'behind'));
  const { seq } = await log.append(() => entry('revoked'));
  expect((await Promise.all(erasures)).filter((erasure) => erasure.seq > seq)).toHaveLength(49);
  expect(applied.map((operation) => operation.seq)).toEqual(applied.map((_, index) => index + 1));
});

test.each(['without its key', 'with the key of another'])('a log %s is altered', async (which) => {
  const { store, log } = open();
  await log.append(() => entry('a'));
  const foreign = open(new SharedStore(), other);
  await foreign.log.append(() => entry('a'));
  if (which === 'without its key') store.meta.delete('operations/key');
  else store.meta.set('operations/key', foreign.store.meta.get('operations/key') ?? '');
  const later = open(store);
  await expect(later.log.append(() => entry('b'))).rejects.toMatchObject(altered);
  expect(later.applied).toEqual([]);
});

test('a log that was begun without the content key counts as altered', async () => {
  const { store, log, applied } = open();
  forge(store, 1, GENESIS, 'A'.repeat(44));
  await expect(log.append(() => entry('a'))).rejects.toMatchObject(altered);
  expect(applied).toEqual([]);
});

test('a log whose content key is lost is accepted as it is once an operator confirms this; its chain stays valid', async () => {
  const { store, log } = open();
  await log.append(() => entry('a'));
  await log.append(() => entry('b'));
  const later = open(store, other);
  await expect(later.log.catchUp()).rejects.toMatchObject(altered);
  // The state after a crash.
  const write = store.writeMeta;
  Object.assign(store, { writeMeta: async () => Promise.reject(new Error('crashed')) });
  await expect(later.log.records.adopt()).rejects.toThrow('crashed');
  Object.assign(store, { writeMeta: write });
  await later.log.records.adopt();
  await later.log.append(() => entry('c'));
  expect(later.names()).toEqual(['a', 'b', 'c']);
  const kept = new Map(store.meta);
  await open(store, other).log.records.adopt();
  expect(store.meta).toEqual(kept);
});

describe('a start on a long log', () => {
  const erasure = (name: string): NewOperation => ({ ...entry(name), action: 'content.erased', target: { kind: 'run', name } });
  /** A log in which few records change something, and the number of records that a process reads at start. */
  async function long() {
    const { store, log } = open();
    await log.append(() => entry('a'));
    for (let n = 0; n < 600; n += 1) await log.append(() => erasure(`${n}`));
    await log.append(() => entry('b'));
    for (let n = 0; n < 600; n += 1) await log.append(() => erasure(`${n}`));
    await log.append(() => entry('c'));
    return { store, log };
  }
  async function start(store: SharedStore) {
    const reading = vi.spyOn(store, 'readMeta');
    const later = open(store);
    await later.log.catchUp();
    const read = reading.mock.calls.length;
    reading.mockRestore();
    return { ...later, read };
  }
  const INDEX = 'operations/changes';
  const changing = (names: readonly string[]): string[] => names.filter((name) => /[a-z]/.test(name));

  test('reads the records that change something and the newest ones, and continues from there', async () => {
    const { store, log } = await long();
    const later = await start(store);
    expect(later.read).toBeLessThan(400);
    expect(changing(later.names())).toEqual(['a', 'b', 'c']);
    expect(later.applied.length).toBeLessThan(300);
    await later.log.append(() => entry('d'));
    await log.catchUp();
    expect(await log.head()).toEqual(await later.log.head());
    expect(await log.records.records({ since_seq: 0, limit: 2000 })).toHaveLength(1204);
  });

  test.each<[string, (store: SharedStore, index: string) => void]>([
    ['is gone', (store) => store.meta.delete(INDEX)],
    ['was altered', (store, index) => store.meta.set(INDEX, index.replace('"seqs":[1,', '"seqs":['))],
    ['is a record', (store) => store.meta.set(INDEX, store.meta.get('operations/record/000000000001') ?? '')],
    [
      'has the tag of a record',
      (store, index) =>
        store.meta.set(INDEX, (store.meta.get('operations/record/000000000001') ?? '').slice(0, 44) + index.slice(44)),
    ],
  ])('reads all records if its index %s', async (_what, change) => {
    const { store } = await long();
    change(store, store.meta.get(INDEX) ?? '');
    const later = await start(store);
    expect(later.applied).toHaveLength(1203);
    expect(changing(later.names())).toEqual(['a', 'b', 'c']);
    // The start wrote a valid index, so the next start reads less.
    expect((await start(store)).read).toBeLessThan(400);
  });

  test('reports that its index cannot be stored, and continues', async () => {
    const { store, log, warned } = open();
    const write = store.writeMeta.bind(store);
    vi.spyOn(store, 'writeMeta').mockImplementation(async (key, ...rest) => {
      if (key === INDEX) throw new Error('full');
      return write(key, ...rest);
    });
    for (let n = 0; n < 1_000; n += 1) await log.append(() => erasure(`${n}`));
    expect(warned).toEqual([{ event: 'change_index_failed', reason: 'Error' }]);
    expect((await log.append(() => entry('a'))).seq).toBe(1_001);
  });

  test('reads all records if its index belongs to an exchanged key', async () => {
    const { store } = await long();
    const newest = KeyTree.generate();
    const exchanging = open(store, { newest, older: [CONTENT_KEYS.newest], forget: null });
    await exchanging.log.renewKey();
    await exchanging.log.append(() => entry('d'));
    expect(exchanging.applied).toHaveLength(1204);
    // The start wrote an index with the new key.
    expect(await exchanging.log.exchangeKey(async () => undefined)).toBe(true);
    const later = open(store, { newest, older: [], forget: null });
    await later.log.catchUp();
    expect(changing(later.names())).toEqual(['a', 'b', 'c', 'd']);
    expect(later.applied.length).toBeLessThan(300);
  });

  test.each([1, 602, 1000])('is refused if record %d is missing or different, although the index names it', async (seq) => {
    const { store } = await long();
    const key = `operations/record/${String(seq).padStart(12, '0')}`;
    const record = store.meta.get(key) ?? '';
    store.meta.set(key, record.replace('"tried"', '"meant"'));
    await expect(start(store)).rejects.toMatchObject(altered);
    store.meta.set(key, store.meta.get('operations/record/000000000002') ?? '');
    await expect(start(store)).rejects.toMatchObject(altered);
    store.meta.delete(key);
    await expect(start(store)).rejects.toMatchObject(altered);
  });
});
