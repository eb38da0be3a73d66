import { readFileSync } from 'node:fs';

/** Linux counts a process's time in hundredths of a second. */
const TICK_MS = 10;

/** Processor time of a process so far, with all threads and children, in milliseconds; null without /proc. */
export function cpuMillis(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  return childrenOf(pid).reduce((sum, child) => sum + (cpuMillis(child) ?? 0), own);
}

/** Children of a process; none without /proc. */
export function childrenOf(pid: number): readonly number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`)?.split(' ').filter(Boolean) ?? [];
  return children.map(Number);
}

/** Memory of a process in megabytes (10^6 bytes). */
export interface Memory {
  readonly rss: number;
  /** Heaps and stacks, which the process itself allocated. */
  readonly anonymous: number;
  /** Files mapped into the process, such as its code and LMDB's pages. This is page cache, which the system can take back. */
  readonly mapped: number;
}

/** Null without /proc. */
export function memoryOf(pid: number): Memory | null {
  const rollup = read(`/proc/${pid}/smaps_rollup`);
  if (rollup === null) return null;
  const megabytes = (field: string): number =>
    (Number(new RegExp(`^${field}: *(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1024) / 1_000_000;
  const rss = megabytes('Rss');
  const anonymous = megabytes('Anonymous');
  return { rss, anonymous, mapped: rss - anonymous };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
