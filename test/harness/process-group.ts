import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Leaders of groups of which somebody still holds the output: the process itself, or one that it started. */
const running = new Set<ChildProcess>();

/**
 * Takes note of a process that was started `detached`: it leads a group, and what it starts can be ended with it. Else a worker process
 * would outlive the gateway that a test kills, and write into a folder that is being removed.
 */
export function asGroup<T extends ChildProcess>(child: T): T {
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** Ends all of the group at once, whatever hangs. Resolves once nobody is left who holds its output. */
export async function killGroup(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return;
  const closed = once(child, 'close');
  kill(child);
  await closed;
}

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

// A group is not reached by what ends the tests: a terminal's Ctrl-C, or the runner at the end of a file that left something.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of running) kill(child);
    process.kill(process.pid, signal);
  });
}
