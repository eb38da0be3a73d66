import { expect, it } from 'vitest';
import { SharedStore } from '../../gateway/test-store.ts';
import { OperationsKey } from './operations-key.ts';
import { OperationRecords } from './records.ts';
import { CONTENT_KEYS } from './test-keys.ts';

const keyOf = (seq: number): string => `operations/record/${String(seq).padStart(12, '0')}`;
const ALL = { since_seq: 0, limit: 100 };

/** A store to which another process adds records while several are read: after the read of `reading`, and before the later reads. */
class WrittenMeanwhile extends SharedStore {
  meanwhile: { readonly reading: number; write(): Promise<unknown> } | null = null;
  #written: Promise<unknown> = Promise.resolve();

  override readonly readMeta = async (key: string): Promise<string | null> => {
    const { meanwhile } = this;
    if (meanwhile === null || key !== keyOf(meanwhile.reading)) {
      await this.#written;
      return this.meta.get(key) ?? null;
    }
    this.meanwhile = null;
    const before = this.meta.get(key) ?? null;
    this.#written = meanwhile.write();
    return before;
  };
}

async function scene(records: number) {
  const store = new WrittenMeanwhile();
  const log = new OperationRecords(store, new OperationsKey(store, CONTENT_KEYS));
  const add = (seq: number) => log.add({ seq, bytes: `${seq}` });
  for (let seq = 1; seq <= records; seq += 1) await add(seq);
  return { store, log, add };
}
const seqs = (found: readonly { readonly seq: number }[]): number[] => found.map(({ seq }) => seq);

it('a record that is written between the reads of its place and of the next one is not skipped', async () => {
  const { store, log, add } = await scene(4);
  store.meanwhile = { reading: 5, write: async () => [await add(5), await add(6), await add(7)] };
  expect(seqs(await log.records(ALL))).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

it('a record that is missing before others means an altered log, wherever the reading begins', async () => {
  const { store, log } = await scene(20);
  store.meta.delete(keyOf(5));
  await expect(log.records(ALL)).rejects.toMatchObject({ code: 'SVC-STORE-001' });
  await expect(log.records({ since_seq: 3, limit: 100 })).rejects.toMatchObject({ code: 'SVC-STORE-001' });
  expect(seqs(await log.records({ since_seq: 5, limit: 3 }))).toEqual([6, 7, 8]);
});

it('ends before the first missing record', async () => {
  const { log } = await scene(9);
  expect(seqs(await log.records(ALL))).toHaveLength(9);
  expect(seqs(await log.records({ since_seq: 7, limit: 1 }))).toEqual([8]);
  expect(await log.records({ since_seq: 9, limit: 100 })).toEqual([]);
});
