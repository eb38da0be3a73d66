import { readFileSync } from 'node:fs';

/** Stands for an unknown start time. */
const UNKNOWN = '0';

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** State letter and start time of a process from Linux's /proc; null if there is no such file or it cannot be read. */
function look(pid: number): { state: string; started: string } | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The second field is the command in parentheses and may hold anything, so count from its end: state is field 3, starttime field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const boot = read('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? UNKNOWN;
  return { state: fields[0] ?? '', started: `${boot}x${fields[19] ?? UNKNOWN}` };
}

/**
 * When this process started, as letters and digits. Pids are reused; pid and start time together are unique. Available on Linux only; `0`
 * elsewhere.
 */
export function ownStart(): string {
  return look(process.pid)?.started ?? UNKNOWN;
}

/** Whether the process with this pid runs and started at that time. If unknown: true. */
export function isRunning(pid: number, started: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs under another user.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
  }
  const seen = look(pid);
  if (seen === null || started === UNKNOWN) return true;
  return seen.started === started && seen.state !== 'Z' && seen.state !== 'X';
}
