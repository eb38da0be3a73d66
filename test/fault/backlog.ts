import type { DumpItem, LedgerRecordType } from '@svc/contracts';
import { discoverPlugins, findPlugin, loadPlugin } from '@svc/kernel/plugins';
import { fakePluginDeps } from '@svc/sdk/testing';
import { chain, evidence, inventory } from '../harness/evidence.ts';
import { HOST } from '../harness/open-gateway.ts';

/** Written in batches. A test looks for text in another process, so this one must not hold all texts in memory. */
const SOME = 5_000;

/** Fills a new runs-db with this many ledger records of 1.5 kB, as after a long failure of a sink. */
export async function fillLedger(folder: string, count: number): Promise<void> {
  const entry = findPlugin(discoverPlugins({ roots: [{ file: HOST, builtIn: true }] }), 'store', 'lmdb');
  if (entry === null) throw new Error('no store lmdb');
  const { create } = await loadPlugin(entry);
  const store = create({ path: folder, min_free_bytes: 0 }, fakePluginDeps());
  await store.open();
  async function* items(): AsyncGenerator<DumpItem> {
    for (let after = { seq: 0, hash: 'genesis' }; after.seq < count; ) {
      const begin = after.seq;
      const length = Math.min(SOME, count - begin);
      const bodies = Array.from({ length }, (_, n) => (begin + n === 0 ? inventory() : evidence(begin + n)));
      for (const [n, { bytes, hash }] of chain(bodies, after).entries()) {
        after = { seq: begin + n + 1, hash };
        const record_type: LedgerRecordType = after.seq === 1 ? 'model_inventory' : 'run_evidence';
        yield { kind: 'record', record: { seq: after.seq, hash, bytes, record_type, model_id: 'chat' } };
      }
    }
  }
  await store.load(items());
  await store.close();
}
