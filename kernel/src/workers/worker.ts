import { type MessagePort, workerData } from 'node:worker_threads';

/** What the pool sends. Over `progress` it hears `taken` when a thread has the task, and `loaded` when its module is there. */
export interface WorkerTask {
  moduleUrl: string;
  input: unknown;
  progress: MessagePort;
}
export type WorkerProgress = 'taken' | 'loaded';

/** Errors lose their own fields on the way between threads: they are told as values. */
export type WorkerReply = { ok: true; output: unknown } | { ok: false; reason: string };

// A thread takes its first task when the modules that its pool wants warm are loaded.
for (const moduleUrl of warmModules(workerData)) await import(moduleUrl);

function warmModules(data: unknown): string[] {
  const listed = typeof data === 'object' && data !== null && 'warm_up' in data ? data.warm_up : [];
  return Array.isArray(listed) ? listed.filter((url) => typeof url === 'string') : [];
}

export default async function runTask({ moduleUrl, input, progress }: WorkerTask): Promise<WorkerReply> {
  const tell = (step: WorkerProgress): void => progress.postMessage(step);
  tell('taken');
  try {
    const module: { default?: unknown } = await import(moduleUrl);
    tell('loaded');
    if (typeof module.default !== 'function') return { ok: false, reason: 'the module has no default function' };
    return { ok: true, output: await module.default(input) };
  } catch (error) {
    // The name only: a message may quote what the task was given.
    return { ok: false, reason: error instanceof Error ? error.name : 'unknown' };
  } finally {
    progress.close();
  }
}
