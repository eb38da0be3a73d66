/**
 * V8 takes what the machine has: it kept 230 MB for a heap of 100, and the C library as many pools as there are threads. The young
 * generation is bounded here, the old one grows in smaller steps, and the threads share one pool. Of the two compilers the quick one stays
 * off: what it works with is never given back, 20 MB of 245 with 1,000 open streams. V8 reads this only as the process starts.
 */
const FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100', '--no-maglev'];
const POOLS = 'MALLOC_ARENA_MAX';

/** Flags by which whoever starts the process decides for himself. */
const OWN_CHOICE = /semi-space|old-space|heap-(size|growing)|optimize-for-size/;

export interface Launched {
  readonly execPath: string;
  readonly execArgv: readonly string[];
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the process is to be started with again; null where it has its limits, or somebody's own. */
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
 * Replaces this process by itself with limits: the same process id, arguments and streams. Goes on without where Node cannot do
 * that, or where a parent holds a channel to this process, which would be lost.
 */
export function limitHeap(): void {
  if (process.execve === undefined || process.connected === true) return;
  const again = limitedLaunch(process);
  if (again !== null) process.execve(process.execPath, again.args, again.env);
}
