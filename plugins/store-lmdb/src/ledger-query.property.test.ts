import type { LedgerRecordType, Seal, SealedRecord } from '@svc/sdk/plugin';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openStore, temporaryFolder } from './test-store.ts';

const TYPES: readonly LedgerRecordType[] = ['run_evidence', 'model_inventory'];
const MODELS = ['a', 'b', 'b c', ''];

const record = fc.record({ record_type: fc.constantFrom(...TYPES), model_id: fc.constantFrom(...MODELS) });
const commits = fc.array(fc.array(record, { maxLength: 12 }), { maxLength: 8 });
const query = fc.record(
  {
    since_seq: fc.nat({ max: 60 }),
    limit: fc.integer({ min: 1, max: 60 }),
    model_id: fc.constantFrom(...MODELS, 'none'),
    record_type: fc.constantFrom(...TYPES),
  },
  { requiredKeys: ['since_seq', 'limit'] },
);

type Sealed = Pick<SealedRecord, 'model_id' | 'record_type'>;

function sealing(records: readonly Sealed[]): Seal {
  return (head) => {
    let { seq, hash } = head ?? { seq: 0, hash: 'genesis' };
    return records.map((fields) => {
      const prev_hash = hash;
      seq += 1;
      hash = `hash-${seq}`;
      return { ...fields, seq, hash, bytes: JSON.stringify({ prev_hash, hash }), change: null };
    });
  };
}

it('finds the records of a model and of a type, however they came in commits', async () => {
  await fc.assert(
    fc.asyncProperty(commits, fc.array(query, { minLength: 1, maxLength: 20 }), async (groups, queries) => {
      const { folder, remove } = temporaryFolder();
      const store = await openStore(folder);
      try {
        for (const group of groups) await store.commit([], sealing(group));
        const all = groups.flat().map((fields, at) => ({ ...fields, seq: at + 1 }));
        for (const { since_seq, limit, model_id, record_type } of queries) {
          const wanted = all.filter(
            (one) =>
              one.seq > since_seq &&
              (model_id === undefined || one.model_id === model_id) &&
              (record_type === undefined || one.record_type === record_type),
          );
          const filter = { ...(model_id !== undefined && { model_id }), ...(record_type !== undefined && { record_type }) };
          const found = await store.records({ since_seq, limit, ...filter });
          expect(found.map(({ seq }) => seq)).toEqual(wanted.slice(0, limit).map(({ seq }) => seq));
        }
      } finally {
        await store.close();
        remove();
      }
    }),
    { numRuns: 60 },
  );
});
