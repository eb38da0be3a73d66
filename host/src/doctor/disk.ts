import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorMessage } from '@svc/contracts';
import { systemRefusal } from '../errors/system-refusal.ts';
import { type Finding, ok, problem, sizeText, warning } from './finding.ts';

const SYNCS = 5;
const PAGE = 4096;
/** An SSD takes 0.1 to 5 ms, a network disk 5 to 20 ms. Every group of runs waits for two of them. */
const SLOW_SYNC_MS = 20;
/** Below 64 MiB, the store refuses writes (`min_free_bytes` of store-lmdb). */
const MIN_FREE = 67_108_864;
const LOW_FREE = 1_073_741_824;

/** What a disk has and does. */
export interface Disk {
  readonly free_bytes: number;
  readonly total_bytes: number;
  /** Median time of a write with fsync, in milliseconds. */
  readonly sync_ms: number;
}

/** Measures the disk of a folder, or of the nearest folder around it that exists. Leaves nothing behind. @throws {Error} of the operating system */
export async function measureDisk(folder: string): Promise<Disk> {
  const place = existingFolder(folder);
  const { bavail, blocks, bsize } = await statfs(place);
  const file = join(place, `.svc-doctor-${randomUUID()}`);
  const handle = await open(file, 'wx', 0o600);
  const times: number[] = [];
  try {
    // Removed at once, so that nothing is left behind even if this process is killed.
    await rm(file);
    for (let n = 0; n < SYNCS; n += 1) {
      const started = performance.now();
      await handle.write(Buffer.alloc(PAGE));
      await handle.sync();
      times.push(performance.now() - started);
    }
  } finally {
    await handle.close();
  }
  const sync_ms = times.toSorted((a, b) => a - b)[Math.floor(SYNCS / 2)] ?? 0;
  return { free_bytes: bavail * bsize, total_bytes: blocks * bsize, sync_ms };
}

/** The disk of the runs. */
export async function checkDisk(folder: string, measure = measureDisk): Promise<Finding[]> {
  try {
    const disk = await measure(folder);
    return [spaceOf(folder, disk), syncOf(disk)];
  } catch (error) {
    const why = systemRefusal(error) ?? errorMessage(error, 'this user cannot write to it');
    return [
      problem(
        'disk',
        `${folder} cannot be used: ${why}`,
        'choose another folder with --runs-db, or run as the user that runs the server',
      ),
    ];
  }
}

function spaceOf(folder: string, { free_bytes, total_bytes }: Disk): Finding {
  const said = `${sizeText(free_bytes)} of ${sizeText(total_bytes)} is free for ${folder}`;
  // A quarter of a small disk, as the store has it.
  const least = Math.min(MIN_FREE, total_bytes / 4);
  if (free_bytes < least)
    return problem(
      'disk',
      `${said}: below ${sizeText(least)}, no run is accepted`,
      'free some space, or choose another disk with --runs-db',
    );
  if (free_bytes < Math.min(LOW_FREE, total_bytes / 2))
    return warning('disk', said, 'free some space, or set retention to delete content earlier');
  return ok('disk', said);
}

function syncOf({ sync_ms }: Disk): Finding {
  const said = `a write with fsync takes ${sync_ms.toFixed(sync_ms < 10 ? 1 : 0)} ms`;
  const remedy = 'use a local SSD for --runs-db: each group of runs waits for two such writes';
  return sync_ms >= SLOW_SYNC_MS ? warning('disk', said, remedy) : ok('disk', said);
}

function existingFolder(folder: string): string {
  const around = dirname(folder);
  return existsSync(folder) || around === folder ? folder : existingFolder(around);
}
