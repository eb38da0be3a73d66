import type { NewOperation, Operation } from '@svc/contracts';
import { expect, test } from 'vitest';
import { handClock } from '../core/test-parts.ts';
import { SharedStore } from '../lifecycle/test-store.ts';
import { OperationsLog } from './operations-log.ts';

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

function open(store = new SharedStore()) {
  const applied: Operation[] = [];
  const log = new OperationsLog({ store, clock: handClock(), apply: [(operation) => applied.push(operation)] });
  return { store, applied, log, names: () => applied.map(({ target }) => target.name) };
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

test('what refuses a change leaves no record, and is asked again with the change of another process applied', async () => {
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

test('an altered record is not applied, and nothing after it', async () => {
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
