import type { MessagePort } from 'node:worker_threads';
import { errorName } from '@svc/contracts';

/** What the pool sends. `loaded` is posted to `progress` when the module is loaded. */
export interface WorkerTask {
  moduleUrl: string;
  input: unknown;
  progress: MessagePort;
}

/** Errors lose their own fields between threads, so failures are values. */
export type WorkerReply = { ok: true; output: unknown } | { ok: false; reason: string };

export default async function runTask({ moduleUrl, input, progress }: WorkerTask): Promise<WorkerReply> {
  try {
    const module: { default?: unknown } = await import(moduleUrl);
    progress.postMessage('loaded');
    if (typeof module.default !== 'function') return { ok: false, reason: 'the module has no default function' };
    return { ok: true, output: await module.default(input) };
  } catch (error) {
    // The name only: a message may quote the input.
    return { ok: false, reason: errorName(error) };
  } finally {
    progress.close();
  }
}
