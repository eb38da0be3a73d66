import { readFileSync } from 'node:fs';

/** An unknown start time. */
const UNKNOWN = '0';

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** State letter and start time of a process, from Linux's /proc. Null if there is no such file or it cannot be read. */
function look(pid: number): { state: string; started: string } | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // Field 2 is the command in parentheses, which may contain anything. So fields are counted from its end: state is field 3, starttime field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const boot = read('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? UNKNOWN;
  return { state: fields[0] ?? '', started: `${boot}x${fields[19] ?? UNKNOWN}` };
}

/**
 * When this process started, as letters and digits. Pids are reused, but pid and start time together are unique. Available only on Linux; `0`
 * elsewhere.
 */
export function ownStart(): string {
  return look(process.pid)?.started ?? UNKNOWN;
}

/** Whether the process with this pid runs and was started at that time. True if this is not known. */
export function isRunning(pid: number, started: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM would mean that the process runs as another user.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  const seen = look(pid);
  if (seen === null || started === UNKNOWN) return true;
  return seen.started === started && seen.state !== 'Z' && seen.state !== 'X';
}
