import { verifiedChain } from '@svc/sdk/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startChild } from './children/protocol.ts';
import { openStore, temporaryFolder } from './test-store.ts';

/** `SVC_FAULT=long` tries many more. */
const ROUNDS = process.env.SVC_FAULT === 'long' ? 300 : 8;

test('a process that is killed at any moment has lost no run that was started, and no evidence', {
  timeout: 3_600_000,
}, async () => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const told = new Map<string, string>();
  let under_way = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = startChild(new URL('./children/work.ts', import.meta.url), [folder]);
    let said = 0;
    for await (const { what, run_id } of child.messages) {
      told.set(String(run_id), String(what));
      said += 1;
      if (said === 1 + ((round * 37) % 120)) child.process.kill('SIGKILL');
    }
    expect(await child.exit).toBe('SIGKILL');
    const store = await openStore(folder);
    const statuses = await store.statuses([...told.keys()]);
    for (const [run_id, what] of told) {
      if (what === 'ended') expect(statuses.get(run_id), run_id).toBe('completed');
      // The end of the run may have been on disk before it could be reported.
      else expect(['running', 'completed'], run_id).toContain(statuses.get(run_id));
    }
    const counts = await store.countRuns();
    expect(await verifiedChain(store)).toHaveLength(counts.completed);
    under_way = counts.running;
    await store.close();
  }
  // Without this, no start might have been checked.
  expect(under_way).toBeGreaterThan(0);
});
