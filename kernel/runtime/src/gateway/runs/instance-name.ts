import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/** Boot id, pid namespace, pid and start time together are unique for ever. Pids are reused, and every container has a pid 1. */
const OF_PROCESS = /^([0-9a-f-]{36})\.(\d+)\.(\d+)\.(\d+)\./;

function attempt(read: () => string): string | null {
  try {
    return read().trim();
  } catch {
    return null;
  }
}

/** State and start time of a process, in ticks since boot. Null if unreadable. */
function look(pid: number): { state: string; started: string } | null {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // Field 2 is the command, which may contain anything, in parentheses. So fields are counted from its end: state is field 3, starttime is field 22.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const started = fields[18];
  return state === undefined || started === undefined ? null : { state, started };
}

/** Boot id and pid namespace. Null if they cannot be read, as on systems other than Linux. */
function machine(): string | null {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'))?.replace(/\D/g, '');
  return boot === null || namespace === undefined || namespace === '' ? null : `${boot}.${namespace}`;
}

/** A name that no other process ever has. With it, other processes on the same machine can check whether this one has ended. */
export function instanceName(): string {
  const [here, own] = [machine(), look(process.pid)];
  return here === null || own === null ? randomUUID() : `${here}.${process.pid}.${own.started}.${randomUUID()}`;
}

/** Whether the process with this name ran on this machine and has ended. False if that is not certain. */
export function processHasEnded(instance: string): boolean {
  const [, boot, namespace, pid, started] = OF_PROCESS.exec(instance) ?? [];
  if (pid === undefined || `${boot}.${namespace}` !== machine()) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // EPERM would mean that the process runs as another user.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return true;
  }
  const seen = look(Number(pid));
  return seen !== null && (seen.started !== started || seen.state === 'Z' || seen.state === 'X');
}
