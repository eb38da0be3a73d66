import type { MessagePort } from 'node:worker_threads';

/** What the pool sends. `taken` is told as soon as a thread has the task, so that waiting in the queue does not count. */
export interface WorkerTask {
  moduleUrl: string;
  input: unknown;
  taken: MessagePort;
}

/** Errors lose their own fields on the way between threads: they are told as values. */
export type WorkerReply = { ok: true; output: unknown } | { ok: false; reason: string };

export default async function runTask({ moduleUrl, input, taken }: WorkerTask): Promise<WorkerReply> {
  taken.postMessage(null);
  taken.close();
  try {
    const module: { default?: unknown } = await import(moduleUrl);
    if (typeof module.default !== 'function') return { ok: false, reason: 'the module has no default function' };
    return { ok: true, output: await module.default(input) };
  } catch (error) {
    // The name only: a message may quote what the task was given.
    return { ok: false, reason: error instanceof Error ? error.name : 'unknown' };
  }
}
