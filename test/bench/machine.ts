import { closeSync, fdatasyncSync, openSync, readFileSync, statfsSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Times, timesOf } from './statistics.ts';

/** statfs types of in-memory file systems, on which evidence would cost nothing. */
const IN_MEMORY = new Map([
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
]);
const PROBES = 300;
const FEW_PROBES = 50;

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly kernel: string;
  readonly node: string;
  readonly load_average: number;
  readonly file_system: string;
  /** Milliseconds to append 4 kB to a file and sync it to disk. */
  readonly fdatasync_ms: Times;
}

/** @throws {Error} if the folder is not on a disk */
export function describeMachine(folder: string): Machine {
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memory_gb: Math.round(totalmem() / 1e9),
    kernel: `${process.platform} ${release()}`,
    node: process.version,
    load_average: loadavg()[0] ?? Number.NaN,
    file_system: fileSystemOf(folder),
    fdatasync_ms: probeDisk(folder, PROBES),
  };
}

function fileSystemOf(folder: string): string {
  const { type } = statfsSync(folder);
  const inMemory = IN_MEMORY.get(type);
  if (inMemory !== undefined) throw new Error(`${folder} is on ${inMemory}, not on a disk: choose another folder with --folder`);
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').trimEnd().split('\n');
    const over = mounts
      .map((line) => line.split(' '))
      .filter(([, point = '']) => `${folder}/`.startsWith(`${point}/`.replace('//', '/')));
    return over.sort(([, a = ''], [, b = '']) => b.length - a.length)[0]?.[2] ?? `type ${type}`;
  } catch {
    return `type ${type}`;
  }
}

/** Measures `fdatasync_ms` now. Other work on the machine changes it from second to second. */
export function diskNow(folder: string): number {
  return probeDisk(folder, FEW_PROBES).p50;
}

function probeDisk(folder: string, length: number): Times {
  const file = openSync(join(folder, 'probe'), 'w');
  const block = Buffer.alloc(4096, 1);
  const millis = Array.from({ length }, () => {
    const began = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - began;
  });
  closeSync(file);
  return timesOf(millis);
}
