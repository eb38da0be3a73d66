import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { childrenOf, memoryOf } from '../bench/proc.ts';

/** What a gateway holds: all its processes together. */
export interface Held {
  /** Seconds since the start of the load. */
  readonly at: number;
  /** Megabytes that the processes themselves allocated, and all that they have in memory. */
  readonly anonymous_mb: number;
  readonly rss_mb: number;
  readonly descriptors: number;
  /** Entries of LMDB's reader table. */
  readonly readers: number;
  /** Files in the gateway's own temporary folder and its runs-db. */
  readonly files: number;
}

/** The workers of a gateway, without other children such as a check of the ledger. */
export function workersOf(pid: number): number[] {
  return childrenOf(pid).filter((child) => {
    try {
      return readFileSync(`/proc/${child}/environ`, 'utf8').includes('NODE_UNIQUE_ID=');
    } catch {
      return false;
    }
  });
}

/** Null while the gateway is down. */
export function heldBy(pid: number, at: number, { runsDb, temporary }: { runsDb: string; temporary: string }): Held | null {
  const pids = [pid, ...workersOf(pid)];
  const memories = pids.map(memoryOf);
  if (memories.includes(null)) return null;
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  return {
    at,
    anonymous_mb: sum(memories.map((memory) => memory?.anonymous ?? 0)),
    rss_mb: sum(memories.map((memory) => memory?.rss ?? 0)),
    descriptors: sum(pids.map(descriptorsOf)),
    readers: readersOf(runsDb),
    files: filesIn(temporary) + filesIn(runsDb),
  };
}

/** Without connections of clients and to the model, whose number the load determines. */
function descriptorsOf(pid: number): number {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).filter((fd) => !isSocket(join(folder, fd))).length;
  } catch {
    return 0;
  }
}

function isSocket(link: string): boolean {
  try {
    return readlinkSync(link).startsWith('socket:');
  } catch {
    return true;
  }
}

function filesIn(folder: string): number {
  return readdirSync(folder, { recursive: true }).length;
}

/** Opens the folder for a moment, because LMDB cannot list the readers of a folder that is not open. */
function readersOf(runsDb: string): number {
  const env = open({ path: runsDb, readOnly: true, noSubdir: false });
  const lines = env.readerList().match(/^\s*\d+ /gm)?.length ?? 0;
  void env.close();
  return lines;
}
