import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/** Boot of the machine, namespace of pids, pid, start: one process for ever, since pids are used again and containers each have a pid 1. */
const OF_PROCESS = /^([0-9a-f-]{36})\.(\d+)\.(\d+)\.(\d+)\./;

function attempt(read: () => string): string | null {
  try {
    return read().trim();
  } catch {
    return null;
  }
}

/** State letter and start of a process, in ticks since the boot; null where that may not be read. */
function look(pid: number): { state: string; started: string } | null {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The second field is the command in parentheses and may hold anything, so count from its end: state is field 3, starttime field 22.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const started = fields[18];
  return state === undefined || started === undefined ? null : { state, started };
}

/** The machine, as far as pids are told apart in it; null where that cannot be told, as everywhere but on Linux. */
function machine(): string | null {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid'))?.replace(/\D/g, '');
  return boot === null || namespace === undefined || namespace === '' ? null : `${boot}.${namespace}`;
}

/** A name for this process that no other ever had, by which others of this machine can tell when it is gone. */
export function instanceName(): string {
  const [here, own] = [machine(), look(process.pid)];
  return here === null || own === null ? randomUUID() : `${here}.${process.pid}.${own.started}.${randomUUID()}`;
}

/** Whether the process that gave itself this name was one of this machine and has ended. In doubt: false. */
export function processHasEnded(instance: string): boolean {
  const [, boot, namespace, pid, started] = OF_PROCESS.exec(instance) ?? [];
  if (pid === undefined || `${boot}.${namespace}` !== machine()) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // EPERM: it runs under another user.
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return true;
  }
  const seen = look(Number(pid));
  return seen !== null && (seen.started !== started || seen.state === 'Z' || seen.state === 'X');
}
