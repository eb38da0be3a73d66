import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Logger } from '@svc/sdk/plugin';
import { LmdbStore } from './lmdb-store.ts';

export const realClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() };

export interface LogLine {
  readonly level: string;
  readonly fields: object;
}

export function recordingLogger(lines: LogLine[]): Logger {
  const log = (level: string) => (fields: object) => lines.push({ level, fields });
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

/** An empty folder and how to remove it. */
export function temporaryFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'store-lmdb-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Opens a store on a folder, without a free-space reserve, so that a small test disk will do. */
export async function openStore(folder: string, clock: Clock = realClock, lines: LogLine[] = []): Promise<LmdbStore> {
  const store = new LmdbStore(folder, 0, { clock, logger: recordingLogger(lines) });
  await store.open();
  return store;
}
