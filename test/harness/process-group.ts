import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Leaders of process groups of which a member still holds the output. */
const running = new Set<ChildProcess>();

/**
 * Registers a process started with `detached`, which leads a group, so that its children can be ended with it. Otherwise a worker would outlive a
 * gateway that a test kills, and write into a folder that is being removed.
 */
export function asGroup<T extends ChildProcess>(child: T): T {
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** Kills the whole group at once. Resolves when no process holds its output. */
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
    // The group has just ended.
  }
}

// Signals that end the tests (Ctrl-C in a terminal, or the runner at the end of a file) do not reach the groups.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of running) kill(child);
    process.kill(process.pid, signal);
  });
}
