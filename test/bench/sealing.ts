import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunChange, RunEvent, Store } from '@svc/contracts';
import { evidenceOf } from '@svc/ledger';
import { fakePluginDeps } from '@svc/sdk/testing';
import lmdb from '@svc/store-lmdb';
import postgres from '@svc/store-postgres';
import { PostgresServer } from '../harness/postgres-server.ts';
import type { Options } from './options.ts';
import { median } from './statistics.ts';

/** Throughput of a store that gets commits as fast as it accepts them, without gateway and HTTP. */
export interface SealingRow {
  readonly store: 'lmdb' | 'postgres';
  /** Stores that share a ledger. Each has one commit in progress at a time, like a gateway. */
  readonly writers: number;
  /** Number of runs that end in one commit. */
  readonly batch: number;
  readonly batches_per_second: number;
  readonly runs_per_second: number;
  readonly p50_ms: number;
}

const BATCHES = [1, 16, 64, 256];
const WRITERS = [1, 2, 4];

/** Measures sealing directly in the stores. */
export async function measureSealing(folder: string, { seconds }: Options): Promise<SealingRow[]> {
  const rows: SealingRow[] = [];
  const server = await PostgresServer.start();
  try {
    for (const batch of BATCHES) {
      const home = join(folder, `sealing-${batch}`);
      mkdirSync(home);
      const local = lmdb.create({ path: home, min_free_bytes: 0 }, fakePluginDeps());
      rows.push({ store: 'lmdb', ...(await seal([local], batch, seconds)) });
      for (const writers of WRITERS) {
        const url = await server.database(`sealing_${batch}_${writers}`);
        const stores = Array.from({ length: writers }, () => postgres.create({ url, connections: 1 }, fakePluginDeps()));
        rows.push({ store: 'postgres', ...(await seal(stores, batch, seconds)) });
      }
    }
  } finally {
    await server.stop();
  }
  return rows;
}

async function seal(stores: readonly Store[], batch: number, seconds: number): Promise<Omit<SealingRow, 'store'>> {
  for (const store of stores) await store.open();
  const millis: number[] = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    stores.map(async (store) => {
      while (performance.now() < until) {
        const at = performance.now();
        await commitBatch(store, batch);
        millis.push(performance.now() - at);
      }
    }),
  );
  const batches_per_second = (millis.length * 1000) / (performance.now() - began);
  for (const store of stores) await store.close();
  return {
    writers: stores.length,
    batch,
    batches_per_second,
    runs_per_second: batches_per_second * batch,
    p50_ms: median(millis),
  };
}

async function commitBatch(store: Store, batch: number): Promise<void> {
  const changes = Array.from({ length: batch }, endedRun);
  await store.commit(
    changes,
    changes.map(({ run }, change) => {
      const parts = evidenceOf({ ...run, events: EVENTS }, null, run.created_at);
      return { record_type: 'run_evidence', model_id: run.route, parts, change };
    }),
  );
}

/** About the size of a run on a route with two guards. */
const EVENTS = Array.from(
  { length: 6 },
  (_, i): RunEvent => ({
    event_type: 'verdict',
    stage: 'ingress',
    node: `guard-${i}`,
    data: {
      verdict: 'allow',
      code: 'no-match',
      package: '@svc/guard-rules',
      scanned: { segments: 2, characters: 500, skipped: [] },
    },
  }),
);

function endedRun(): RunChange {
  return {
    run: {
      run_id: randomUUID(),
      route: 'default',
      principal_id: 'bench',
      status: 'completed',
      approvers: [],
      events: [],
      config_digest: `sha256:${'0'.repeat(64)}`,
      created_at: new Date().toISOString(),
      expires_at: null,
      approver: null,
      owner: 'bench',
      version: 1,
      evidence: null,
    },
    expect: null,
    put_content: [],
    drop_content: [],
    settlements: [],
  };
}
