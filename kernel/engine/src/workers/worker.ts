import type { MessagePort } from 'node:worker_threads';

/** What the pool sends. `progress` hears `loaded` when the module is there. */
export interface WorkerTask {
  moduleUrl: string;
  input: unknown;
  progress: MessagePort;
}

/** Errors lose their own fields on the way between threads: they are told as values. */
export type WorkerReply = { ok: true; output: unknown } | { ok: false; reason: string };

export default async function runTask({ moduleUrl, input, progress }: WorkerTask): Promise<WorkerReply> {
  try {
    const module: { default?: unknown } = await import(moduleUrl);
    progress.postMessage('loaded');
    if (typeof module.default !== 'function') return { ok: false, reason: 'the module has no default function' };
    return { ok: true, output: await module.default(input) };
  } catch (error) {
    // The name only: a message may quote what the task was given.
    return { ok: false, reason: error instanceof Error ? error.name : 'unknown' };
  } finally {
    progress.close();
  }
}
