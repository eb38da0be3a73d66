/**
 * By default, V8 and the C library use as much memory as the machine has: V8 kept 230 MB for a heap of 100 MB, and the C library one pool per thread.
 * These flags limit the young generation, grow the old one in smaller steps, and make threads share one pool. V8 reads the flags only when the
 * process starts.
 */
const FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100'];
const POOLS = 'MALLOC_ARENA_MAX';

/** Matches flags that the operator has chosen. */
const OWN_CHOICE = /semi-space|old-space|heap-(size|growing)|optimize-for-size/;

export interface Launched {
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How to restart the process with limits. Null if it has them already, or the operator's own. */
export function limitedLaunch({
  execPath,
  execArgv,
  argv,
  env,
}: Launched): { args: string[]; env: Record<string, string> } | null {
  if (OWN_CHOICE.test([...execArgv, env.NODE_OPTIONS].join(' '))) return null;
  const kept = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    args: [execPath, ...FLAGS, ...execArgv, ...argv.slice(1)],
    env: { [POOLS]: '1', ...Object.fromEntries(kept) },
  };
}

/**
 * Executes this program again under limits, with the same process id, arguments and streams. Does nothing if Node cannot do that, or if a parent has
 * a channel to this process, which would be lost.
 */
export function limitHeap(): void {
  if (process.execve === undefined || process.connected === true) return;
  const again = limitedLaunch(process);
  if (again !== null) process.execve(process.execPath, again.args, again.env);
}
