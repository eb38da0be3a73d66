import type { LedgerQuery, LedgerRecordType, Store } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import { unplaced } from './chain.ts';
import type { StoreCases } from './fixture.ts';
import { mixes } from './mixes.ts';

interface Kind {
  readonly model_id: string;
  readonly record_type: LedgerRecordType;
}

type Filters = Omit<LedgerQuery, 'since_seq' | 'limit'>;

/** The seqs that must be found. */
function expected(kinds: readonly Kind[], since_seq: number, { model_id, record_type }: Filters): number[] {
  return kinds
    .map((kind, i) => ({ ...kind, seq: i + 1 }))
    .filter(({ seq }) => seq > since_seq)
    .filter((kind) => model_id === undefined || kind.model_id === model_id)
    .filter((kind) => record_type === undefined || kind.record_type === record_type)
    .map(({ seq }) => seq);
}

/** 300 records of three models. Every tenth is an inventory record. */
async function fill(store: Store): Promise<Kind[]> {
  const kinds = Array.from(
    { length: 300 },
    (_, i): Kind => ({ model_id: `model-${i % 3}`, record_type: i % 10 === 0 ? 'model_inventory' : 'run_evidence' }),
  );
  for (let i = 0; i < kinds.length; i += 50) await store.commit([], kinds.slice(i, i + 50).map(unplaced));
  return kinds;
}

export const recordCases: StoreCases = {
  'applies each filter and every combination of filters, in order': async ({ store }) => {
    const kinds = await fill(store);
    const filters = mixes<Filters>({
      model_id: [undefined, 'model-1', 'no such model', 'm'.repeat(5000)],
      record_type: [undefined, 'run_evidence', 'model_inventory'],
    });
    for (const mix of filters) {
      for (const since_seq of [0, 1, 150, 299, 300, 1000]) {
        const wanted = expected(kinds, since_seq, mix);
        for (const limit of [1, 7, 100, 1000]) {
          const found = await store.records({ since_seq, limit, ...mix });
          const seqs = found.map(({ seq }) => seq);
          assert.deepEqual(seqs, wanted.slice(0, limit));
          assert.deepEqual(
            found.map(({ bytes }) => JSON.parse(bytes).seq),
            seqs,
          );
        }
      }
    }
  },

  'by seq: returns records in the given order, without missing ones': async ({ store }) => {
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
