import type { NewOperation, Operation, Store } from '@svc/contracts';
import { placeRecord, prepareRecord, rehash } from '@svc/ledger';
import { expect, test } from 'vitest';
import { type ContentKeys, KeyTree } from '../../content/key-tree.ts';
import { SharedStore } from '../../gateway/test-store.ts';
import { ENV, handClock } from '../../test-parts.ts';
import { OperationsKey, tagOf } from './operations-key.ts';
import { OperationsLog } from './operations-log.ts';
import { recordIn } from './records.ts';

const KEY = 'operations/key';
const [FIRST, SECOND] = [KeyTree.generate(), KeyTree.generate()];
/** The content keys of an installation's gateways during an exchange, step by step. */
const BEFORE: ContentKeys = { newest: FIRST, older: [], forget: null };
const READY: ContentKeys = { newest: FIRST, older: [SECOND], forget: null };
const EXCHANGING: ContentKeys = { newest: SECOND, older: [FIRST], forget: null };
const AFTER: ContentKeys = { newest: SECOND, older: [], forget: null };

const altered = { code: 'SVC-STORE-001' };
const keyOf = (seq: number): string => `operations/record/${String(seq).padStart(12, '0')}`;

function entry(name: string): NewOperation {
  const actor = { principal_id: 'ada', issuer: null, subject: null };
  const target = { kind: 'route', name } as const;
  return { action: 'state.changed', actor, target, before: null, after: null, reason: 'tried', change: {} };
}

const nobodyElse = async (): Promise<void> => undefined;

type Meta = Pick<Store, 'readMeta' | 'writeMeta'>;

function open(store: Meta, content_keys: ContentKeys) {
  const applied: Operation[] = [];
  const log = new OperationsLog({
    store,
    clock: handClock(),
    content_keys,
    logger: ENV.logger,
    apply: [(operation) => applied.push(operation)],
  });
  return { log, add: (name: string) => log.append(() => entry(name)), names: () => applied.map(({ target }) => target.name) };
}

/** The records that a process with these content keys applies when it starts. */
async function appliedBy(store: Meta, content_keys: ContentKeys): Promise<string[]> {
  const { log, names } = open(store, content_keys);
  await log.catchUp();
  return names();
}

/** A log with records `a`, `b` and `c` from before an exchange, and the knowledge of someone who then had the content key and a copy of the store. */
async function stolen() {
  const store = new SharedStore();
  const one = open(store, BEFORE);
  for (const name of ['a', 'b', 'c']) await one.add(name);
  const value = store.meta.get(KEY) ?? '';
  const key = await new OperationsKey({ ...store, readMeta: async () => value }, BEFORE).ensure();
  return { store, value, key };
}

/** Adds a record after the last one, with a tag by this key. */
function forge(store: SharedStore, key: Buffer): string {
  let head = { seq: 0, hash: 'genesis' };
  for (let value = store.meta.get(keyOf(1)); value !== undefined; value = store.meta.get(keyOf(head.seq + 1)))
    head = rehash(recordIn(value).bytes, head.seq + 1, head.hash) ?? head;
  const record = { ...entry('forged'), record_type: 'operation' as const, at: '2026-01-01T00:00:00.000Z' };
  const { bytes } = placeRecord(prepareRecord(record), head.seq + 1, head.hash);
  store.meta.set(keyOf(head.seq + 1), `${tagOf(key, bytes)} ${bytes}`);
  return keyOf(head.seq + 1);
}

test('a holder of the previous content key and all stored data can add no record after the exchange', async () => {
  const { store, value, key } = await stolen();
  // Before the exchange, the stolen key can forge a record.
  const forged = forge(store, key);
  expect(await appliedBy(store, BEFORE)).toEqual(['a', 'b', 'c', 'forged']);
  store.meta.delete(forged);

  const gateway = open(store, EXCHANGING);
  await gateway.log.renewKey();
  await gateway.add('d');
  const meanwhile = store.meta.get(KEY) ?? '';
  const during = forge(store, key);
  await expect(gateway.log.catchUp()).rejects.toMatchObject(altered);
  await expect(appliedBy(store, EXCHANGING)).rejects.toMatchObject(altered);
  store.meta.delete(during);

  expect(await gateway.log.exchangeKey(nobodyElse)).toBe(true);
  expect(await appliedBy(store, AFTER)).toEqual(['a', 'b', 'c', 'd']);
  const whole = new Map(store.meta);
  const restore = () => [...whole].forEach(([name, kept]) => void store.meta.set(name, kept));
  const tries = [
    () => forge(store, key),
    // Removes the last records, including the first one with a tag by the new key.
    () => store.meta.delete(keyOf(4)) && forge(store, key),
    () => store.meta.delete(keyOf(4)) && store.meta.delete(keyOf(3)) && forge(store, key),
    // Restores the earlier value of the key.
    () => forge(store, key) && store.meta.set(KEY, value),
    () => store.meta.delete(keyOf(4)) && store.meta.set(KEY, value) && forge(store, key),
    () => forge(store, key) && store.meta.set(KEY, meanwhile),
    () => forge(store, key) && store.meta.set(KEY, `${whole.get(KEY)} ${value}`),
    () => store.meta.delete(KEY) && forge(store, key),
  ];
  for (const [index, attempt] of tries.entries()) {
    attempt();
    await expect(appliedBy(store, AFTER), `${index}`).rejects.toMatchObject(altered);
    store.meta.delete(keyOf(5));
    restore();
  }
  expect(await appliedBy(store, AFTER)).toEqual(['a', 'b', 'c', 'd']);
});

test('a running process accepts no key value from before the exchange', async () => {
  const { store, value, key } = await stolen();
  const gateway = open(store, EXCHANGING);
  await gateway.log.renewKey();
  await gateway.add('d');
  expect(await gateway.log.exchangeKey(nobodyElse)).toBe(true);
  store.meta.set(KEY, value);
  forge(store, key);
  await expect(gateway.log.catchUp()).rejects.toMatchObject(altered);
  await expect(gateway.add('e')).rejects.toMatchObject(altered);
  expect(gateway.names()).toEqual(['a', 'b', 'c', 'd']);
});

test('processes that exchange the key and processes that do not know it yet write side by side', async () => {
  const store = new SharedStore();
  const late = open(store, READY);
  await late.add('first');
  const gateways = [open(store, EXCHANGING), open(store, EXCHANGING)];
  const adding = async ({ add }: typeof late, name: string) => {
    for (let count = 0; count < 20; count += 1) await add(`${name}${count}`);
  };
  await Promise.all([
    adding(late, 'late'),
    ...gateways.map(async (gateway, index) => {
      await gateway.log.renewKey();
      await Promise.all([adding(gateway, `new${index}`), gateway.log.exchangeKey(nobodyElse)]);
    }),
  ]);
  // Two gateways created a key at the same time. Only one of the two is used.
  expect(await gateways[0]?.log.exchangeKey(nobodyElse)).toBe(true);
  await late.add('last');
  const names = await appliedBy(store, AFTER);
  expect(names).toHaveLength(62);
  for (const { log, names: seen } of [late, ...gateways]) {
    await log.catchUp();
    expect(seen()).toEqual(names);
  }
  await expect(appliedBy(store, BEFORE)).rejects.toMatchObject(altered);
});

test('is created once by two concurrent processes, and the previous one stays wrapped with its content key', async () => {
  const { store, value } = await stolen();
  await Promise.all([open(store, EXCHANGING), open(store, EXCHANGING)].map(({ log }) => log.renewKey()));
  const kept = store.meta.get(KEY) ?? '';
  expect(kept.split(' ')).toHaveLength(4);
  expect(kept.startsWith(`${SECOND.id} `)).toBe(true);
  expect(kept.endsWith(` ${value}`)).toBe(true);
  await open(store, EXCHANGING).log.renewKey();
  expect(store.meta.get(KEY)).toBe(kept);
});

test('the previous key is kept until there is a record by the new one, because others may still add records with it', async () => {
  const { store } = await stolen();
  const late = open(store, READY);
  await late.log.catchUp();
  const gateway = open(store, EXCHANGING);
  expect(await gateway.log.exchangeKey(nobodyElse)).toBe(false);
  await late.add('d');
  expect(await gateway.log.exchangeKey(nobodyElse)).toBe(false);
  await expect(appliedBy(store, AFTER)).rejects.toThrow('restore the content key');
  await gateway.add('e');
  expect(await gateway.log.exchangeKey(nobodyElse)).toBe(true);
  expect(await appliedBy(store, AFTER)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a process that learns the new key before the previous one ends continues', async () => {
  const { store } = await stolen();
  const other = open(store, READY);
  await other.log.catchUp();
  const gateway = open(store, EXCHANGING);
  await gateway.log.renewKey();
  await gateway.add('d');
  expect(await gateway.log.exchangeKey(() => other.log.catchUp())).toBe(true);
  await other.add('e');
  expect(await appliedBy(store, AFTER)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('can be exchanged again before the previous exchange has ended', async () => {
  const { store } = await stolen();
  await open(store, EXCHANGING).log.renewKey();
  // A gateway restarts whose newest key is still the first one.
  const back = open(store, READY);
  await back.log.renewKey();
  await back.add('d');
  const gateway = open(store, EXCHANGING);
  await gateway.log.renewKey();
  await gateway.add('e');
  await back.add('f');
  expect(await gateway.log.exchangeKey(nobodyElse)).toBe(true);
  expect(await appliedBy(store, AFTER)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('a crash at any write leaves a log that every process reads, and that is exchanged the next time', async () => {
  const { store: first } = await stolen();
  let writes = 0;
  for (let crashed = true; crashed; writes += 1) {
    const store = new SharedStore();
    for (const [name, value] of first.meta) store.meta.set(name, value);
    const { writeMeta } = store;
    let left = writes;
    const crashing = async (...given: Parameters<typeof writeMeta>) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('crashed')) : writeMeta(...given);
    };
    Object.assign(store, { writeMeta: crashing });
    const exchange = async () => {
      const { log, add } = open(store, EXCHANGING);
      await log.renewKey();
      await add('d');
      expect(await log.exchangeKey(nobodyElse)).toBe(true);
    };
    const seen = open(store, READY);
    crashed = await exchange().then(
      () => false,
      (error: Error) => error.message === 'crashed' || Promise.reject(error),
    );
    Object.assign(store, { writeMeta });
    const names = await appliedBy(store, EXCHANGING);
    expect(names.slice(0, 3)).toEqual(['a', 'b', 'c']);
    await seen.log.catchUp();
    expect(seen.names()).toEqual(names);
    await exchange();
    expect((await appliedBy(store, AFTER)).filter((name) => name !== 'd')).toEqual(['a', 'b', 'c']);
  }
  // The writes are: the key, the new record, the records before it, and the key again.
  expect(writes).toBeGreaterThan(6);
});

test.each([1, 2, 3, 4])('record %i can be read while it gets another tag', async (reading) => {
  const { store } = await stolen();
  const gateway = open(store, EXCHANGING);
  await gateway.log.renewKey();
  await gateway.add('d');
  const { promise: exchanged, resolve: ends } = Promise.withResolvers<boolean>();
  /** Reads this record before the exchange, and the others of the same request after it. */
  const readMeta = async (key: string): Promise<string | null> => {
    const seq = Number(key.split('/')[2] ?? 0);
    if (seq === reading) {
      const value = await store.readMeta(key);
      ends(await gateway.log.exchangeKey(nobodyElse));
      return value;
    }
    if (Math.floor(Math.log2(seq)) === Math.floor(Math.log2(reading))) await exchanged;
    return store.readMeta(key);
  };
  expect(await appliedBy({ readMeta, writeMeta: store.writeMeta }, EXCHANGING)).toEqual(['a', 'b', 'c', 'd']);
  expect(await exchanged).toBe(true);
});

test('a log without its key is reported, and accepted as it is once an operator confirms this', async () => {
  const { store } = await stolen();
  store.meta.delete(KEY);
  const { log, add, names } = open(store, BEFORE);
  await expect(log.catchUp()).rejects.toThrow('is missing');
  await expect(add('d')).rejects.toMatchObject(altered);
  expect(store.meta.has(KEY)).toBe(false);
  await log.records.adopt();
  await add('d');
  expect(names()).toEqual(['a', 'b', 'c', 'd']);
  expect(await appliedBy(store, BEFORE)).toEqual(names());
});

test('a holder of the old key cannot replace a record that an index names while both keys are valid', async () => {
  const { store, key } = await stolen();
  const before = open(store, BEFORE);
  for (let n = 0; n < 1_000; n += 1) await before.log.append(() => ({ ...entry(`${n}`), action: 'content.erased' }));
  const gateway = open(store, EXCHANGING);
  await gateway.log.renewKey();
  await gateway.add('new');
  const later = open(store, EXCHANGING);
  await later.log.catchUp();
  expect(later.names()).toEqual(['a', 'b', 'c', 'new']);
  const record = { ...entry('forged'), record_type: 'operation' as const, at: '2026-01-01T00:00:00.000Z' };
  const { prev_hash } = JSON.parse(recordIn(store.meta.get(keyOf(2)) ?? '').bytes);
  const { bytes } = placeRecord(prepareRecord(record), 2, prev_hash);
  store.meta.set(keyOf(2), `${tagOf(key, bytes)} ${bytes}`);
  await expect(appliedBy(store, EXCHANGING)).rejects.toMatchObject(altered);
});
