import { expect, test } from 'vitest';
import { startChild } from './children/protocol.ts';
import { verifiedChain } from './test-runs.ts';
import { openStore, temporaryFolder } from './test-store.ts';

test('kill -9 while committing: what was acknowledged is there, and the chain is whole', async () => {
  const { folder, remove } = temporaryFolder();
  const acknowledged: Record<string, unknown>[] = [];
  try {
    for (const enough of [40, 333, 777]) {
      const child = startChild(new URL('./children/load.ts', import.meta.url), [folder]);
      let heard = 0;
      for await (const message of child.messages) {
        acknowledged.push(message);
        if (++heard === enough) child.process.kill('SIGKILL');
      }
      expect(await child.exit).toBe('SIGKILL');
      const store = await openStore(folder);
      const hashes = await verifiedChain(store);
      for (const { run_id, seq, hash } of acknowledged) {
        expect(hashes[Number(seq) - 1]).toBe(hash);
        expect(await store.run(String(run_id))).toMatchObject({ status: 'completed', evidence: { seq, hash } });
      }
      const { completed, running } = await store.countRuns();
      expect(completed).toBe(hashes.length);
      const page = await store.runs({ limit: 10_000, status: ['completed', 'running'] });
      expect(page.rows).toHaveLength(Math.min(10_000, completed + running));
      await store.close();
    }
  } finally {
    remove();
  }
});
