import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Logger } from '@svc/sdk';
import { fakeLogger } from '@svc/sdk/testing';
import { LmdbStore } from './lmdb-store.ts';

const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

/** An empty folder, and a function that removes it. */
export function temporaryFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'store-lmdb-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Copies data file and log in the state in which a process finds them after `kill -9`. */
export function copyFiles(from: string, to: string): void {
  for (const name of ['data.mdb', 'commits.log']) copyFileSync(join(from, name), join(to, name));
}

/** Opens a store on a folder without a free-space reserve, so that a small test disk is enough. */
export async function openStore(folder: string, clock: Clock = systemClock, logger: Logger = fakeLogger()): Promise<LmdbStore> {
  const store = new LmdbStore(folder, 0, { clock, logger });
  await store.open();
  return store;
}
