import assert from 'node:assert/strict';
import type { LedgerQuery, LedgerRecordType, Store } from '@svc/kernel/contracts';
import { sealAll } from './chain.ts';
import type { StoreCases } from './fixture.ts';

interface Kind {
  readonly model_id: string;
  readonly record_type: LedgerRecordType;
}

/** 300 records of three models, every tenth an inventory. */
async function fill(store: Store): Promise<Kind[]> {
  const kinds = Array.from(
    { length: 300 },
    (_, i): Kind => ({ model_id: `model-${i % 3}`, record_type: i % 10 === 0 ? 'model_inventory' : 'run_evidence' }),
  );
  for (let i = 0; i < kinds.length; i += 50) await store.commit([], sealAll(kinds.slice(i, i + 50)));
  return kinds;
}

export const recordCases: StoreCases = {
  'each filter and every mix of filters finds what it should, in order': async ({ store }) => {
    const kinds = await fill(store);
    for (const model_id of [undefined, 'model-1', 'no such model', 'm'.repeat(5000)]) {
      for (const record_type of [undefined, 'run_evidence', 'model_inventory'] as const) {
        for (const since_seq of [0, 1, 150, 299, 300, 1000]) {
          for (const limit of [1, 7, 100, 1000]) {
            const query: LedgerQuery = {
              since_seq,
              limit,
              ...(model_id === undefined ? {} : { model_id }),
              ...(record_type === undefined ? {} : { record_type }),
            };
            const wanted = kinds
              .map((kind, i) => ({ ...kind, seq: i + 1 }))
              .filter(({ seq }) => seq > since_seq)
              .filter((kind) => model_id === undefined || kind.model_id === model_id)
              .filter((kind) => record_type === undefined || kind.record_type === record_type)
              .slice(0, limit);
            const found = await store.records(query);
            assert.deepEqual(
              found.map(({ seq }) => seq),
              wanted.map(({ seq }) => seq),
            );
            for (const { seq, bytes } of found) assert.equal(JSON.parse(bytes).seq, seq);
          }
        }
      }
    }
  },

  'by seq: in the order asked, without those that are not there': async ({ store }) => {
    await fill(store);
    const asked = [7, 300, 1, 301, 0, 150, 7, -1, ...Array.from({ length: 250 }, (_, i) => 250 - i)];
    const found = await store.recordsBySeq(asked);
    assert.deepEqual(
      found.map(({ seq }) => seq),
      asked.filter((seq) => seq >= 1 && seq <= 300),
    );
    for (const { seq, bytes } of found) assert.equal(JSON.parse(bytes).seq, seq);
    assert.deepEqual(await store.recordsBySeq([]), []);
  },
};
