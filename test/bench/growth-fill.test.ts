import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@svc/contracts';
import { sampleRun, verifiedChain } from '@svc/sdk/testing';
import { expect, it } from 'vitest';
import { createdAt, exampleIn, fill, principalOf } from './growth-fill.ts';
import { openStore } from './open-store.ts';

it('fills a store with runs and their evidence, as a gateway would have', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const store = await openStore('lmdb', { path: folder });
  try {
    const data = { from: 'running', to: 'completed', config_digest: `sha256:${'0'.repeat(64)}` } as const;
    const events: RunEvent[] = [{ event_type: 'state', stage: 'egress', node: '', data }];
    const example = { row: sampleRun({ status: 'completed' }), events };
    await fill(store, example, 0, 30);
    await fill(store, example, 30, 50);
    expect(await verifiedChain(store)).toHaveLength(50);
    expect(await store.countRuns()).toMatchObject({ blocked: 3, completed: 47 });
    const { rows } = await store.runs({ principal: principalOf(49), limit: 10 });
    expect(rows.map(({ created_at }) => created_at)).toEqual([49, 29, 9].map(createdAt));
    const again = await exampleIn(store, rows[0]?.run_id ?? '');
    expect(again).toMatchObject({ events, row: { evidence: null } });
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
});
